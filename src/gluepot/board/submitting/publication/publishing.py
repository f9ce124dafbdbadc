"""Publication by a worker after a decision: add a system to the board, update its metadata, or take it down."""

from datetime import UTC, date, datetime
from time import monotonic

import msgspec
from django.db import transaction

from gluepot.board.importing.drafts import Draft, digest_of
from gluepot.board.importing.predictions import answer_files
from gluepot.board.importing.sources.measurements import measurement_rows
from gluepot.board.importing.storage.entries import bump_revision, store, update_current_rows
from gluepot.board.importing.systems.joining import RefusedEntry
from gluepot.board.importing.systems.naming import safe_link, shown_name
from gluepot.board.models import Entry, Score, System
from gluepot.board.moderation.audit import record
from gluepot.board.submitting.hidden.feedback import official_rows
from gluepot.board.submitting.hidden.labels import labelled
from gluepot.board.submitting.mails import notify_team
from gluepot.board.submitting.models import FactSheet, Slot, Upload, program_of
from gluepot.board.submitting.scoring.private_scores import SCORER, data_state, stored_file
from gluepot.board.submitting.states import State, lock_upload, move
from gluepot.efficiency.figures import Figures
from gluepot.records import Suite
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.systems import SystemInfo

SEEN = ("test", "dev")
"""Splits not meant for training; a task of which a system declares to have used one is left out of its mean."""


DECLARED = "its makers declare that it was trained on"


def publish_sheet(number: int) -> None:
    """Publish the system of an approved sheet, or apply the sheet to the published system; a no-op in any other state."""
    sheet = FactSheet.objects.select_related("upload", "upload__team").get(pk=number)
    upload = sheet.upload
    if upload.state not in (State.PUBLISHING, State.PUBLISHED) or sheet.state != FactSheet.State.APPROVED:
        return
    suite = load_suite(upload.suite)
    try:
        with transaction.atomic():
            system = _put(upload, sheet, suite)
            fresh = lock_upload(upload.key)
            fresh.system = system
            fresh.save(update_fields=["system"])
            first = fresh.state == State.PUBLISHING
            if first:
                move(fresh, State.PUBLISHED, "worker")
            record("worker", "published", str(upload.key), system=system.slug, sheet=sheet.pk)
            notify_team(fresh, "published")
    except RefusedEntry as refused:
        _refuse(sheet, refused)


def _put(upload: Upload, sheet: FactSheet, suite: Suite) -> System:
    if upload.system_id is None:
        with stored_file(upload) as path:
            submission = read_submission(suite, path)
        draft = make_draft(upload, sheet, suite, submission)
        store(draft, monotonic(), draft.source, replace=True)
        system = System.objects.get(name=shown_name(draft.system.name), owner=draft.owner)
    else:
        system = System.objects.get(pk=upload.system_id)
    apply_facts(system, sheet)
    mark_trained(upload, system, sheet)
    bump_revision()
    return system


def _refuse(sheet: FactSheet, refused: RefusedEntry) -> None:
    """Return a refused sheet to review with the reason, such as a name already in use."""
    with transaction.atomic():
        upload = lock_upload(sheet.upload.key)
        if upload.state == State.PUBLISHING:
            move(upload, State.REVIEW, "worker", f"{refused.message} {refused.hint}")
        FactSheet.objects.filter(pk=sheet.pk).update(state=FactSheet.State.REVIEW, reason=refused.message)
        record("worker", "refused", str(upload.key), reason=refused.message)


def public_name(sheet: FactSheet) -> str:
    """Return the system's name, or a pseudonym until the end of its anonymity."""
    return f"Anonymous {str(sheet.upload.key)[:8]}" if sheet.is_anonymous(today()) else sheet.name


def today() -> date:
    return datetime.now(UTC).date()


def make_draft(upload: Upload, sheet: FactSheet, suite: Suite, submission: Submission) -> Draft:
    """Return the entry of a submission in the form of an import, with the declared metadata."""
    owner = f"team:{upload.team_id}"
    given = labelled(suite, submission)
    data = data_state(submission, given.context(suite, owner))
    digest = digest_of("upload", suite.name, suite.version, upload.digest, data, SCORER, str(upload.key))
    info = SystemInfo(public_name(sheet), family=sheet.family)
    draft = Draft(suite, info, Entry.Kind.SUBMISSION, f"submission {upload.key}", digest, "given", owner=owner)
    draft.scores = official_rows(suite, given, owner)
    draft.files = answer_files(submission)  # without hidden labels, so nothing reveals which answers are correct
    draft.details = {"submission": str(upload.key), "scored_in_private": times_scored(upload), "trained_on": sheet.trained}
    if (program := program_of(upload)) is not None:
        draft.details |= {"ran_here": True, "figures": program.figures}
        figures = msgspec.convert(program.figures, dict[str, Figures])
        draft.measurements = [row for task, one in figures.items() for row in measurement_rows(task, one)]
    return draft


def mark_trained(upload: Upload, system: System, sheet: FactSheet) -> None:
    """Exclude scores on tasks with declared training on dev or test from ranking, with the reason; undo earlier exclusions."""
    own = Score.objects.filter(entry__system=system, entry__details__submission=str(upload.key))
    own.filter(reason__startswith=DECLARED).update(ranked=True, reason="")
    for task, splits in sheet.trained.items():
        seen = [split for split in SEEN if split in splits]
        if seen:
            own.filter(task=task, ranked=True).update(ranked=False, reason=f"{DECLARED} {' and '.join(seen)} of this task")


def times_scored(upload: Upload) -> int:
    """Count the team's submissions that have used a slot of this version, this one included."""
    used = Slot.objects.filter(team=upload.team_id, suite=upload.suite, version=upload.version, returned=False)
    return used.values("upload").distinct().count()


def apply_facts(system: System, sheet: FactSheet) -> None:
    """Overwrite the metadata of a system with an approved sheet."""
    hidden = sheet.is_anonymous(today())
    system.name = shown_name(public_name(sheet))
    system.family, system.parameters, system.data_size = sheet.family, sheet.parameters, sheet.data_size
    system.team = "" if hidden else sheet.upload.team.name
    system.link = "" if hidden else safe_link(sheet.link)
    system.card = "" if hidden else "\n\n".join(part for part in (sheet.description, sheet.data_kind) if part)
    system.open_code = True if system.link else None
    system.save()


def reveal_due() -> None:
    """Restore the names of systems whose anonymity has ended."""
    due = FactSheet.objects.filter(
        state=FactSheet.State.APPROVED,
        anonymous_until__lte=today(),
        upload__state=State.PUBLISHED,
        upload__system__name__startswith="Anonymous ",
    )
    for sheet in due.select_related("upload", "upload__system", "upload__team"):
        if sheet.upload.system is not None:
            with transaction.atomic():
                apply_facts(sheet.upload.system, sheet)
                bump_revision()
                record("worker", "revealed", str(sheet.upload.key))


def take_down(key: str) -> None:
    """Supersede the entries of a withdrawn submission, so that they are hidden; the history is preserved."""
    with transaction.atomic():
        upload = lock_upload(key)
        if upload.state != State.WITHDRAWN or upload.system is None:
            return
        upload.system.entries.filter(details__submission=str(upload.key)).update(superseded=True)
        update_current_rows(upload.system)
        bump_revision()
        record("worker", "taken down", str(upload.key), system=upload.system.slug)
