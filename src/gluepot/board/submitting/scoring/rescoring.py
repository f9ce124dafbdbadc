"""Rescoring after a change of data or scorer: new scores are added beside the old ones, and changes of public scores are listed."""

from time import monotonic
from typing import Any

from django.db import transaction

from gluepot.board.importing.storage.entries import bump_revision, store
from gluepot.board.models import Score
from gluepot.board.moderation.audit import record
from gluepot.board.submitting.mails import notify_team
from gluepot.board.submitting.models import FactSheet, RescoredValue, Rescoring, ScoreRevision, Upload
from gluepot.board.submitting.publication.publishing import make_draft, mark_trained
from gluepot.board.submitting.scoring.private_scores import SCORER, stored_file, write_revision
from gluepot.board.submitting.states import State, lock_upload
from gluepot.records import Suite
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.declarations import load_suite

CONCERNED = (State.SCORED, State.REVIEW, State.REJECTED, State.PUBLISHED)
UNFIT = "its answers do not fit this version; its makers were asked for new ones"
NEAR = 1e-9
Values = dict[tuple[str, str], float | None]
"""Scores by task and metric."""


def begin_rescoring(suite: Suite, reason: str) -> tuple[Rescoring, int]:
    """Queue every scored submission to a suite for rescoring; return the rescoring and their number."""
    from gluepot.board.submitting.tasks import rescore

    with transaction.atomic():
        begun = Rescoring.objects.create(suite=suite.name, version=suite.version, reason=reason, scorer=SCORER)
        keys = list(Upload.objects.filter(suite=suite.name, state__in=CONCERNED).order_by("pk").values_list("key", flat=True))
        for key in keys:
            rescore.configure(lock=str(key), queueing_lock=f"rescore-{begun.pk}-{key}").defer(number=begun.pk, key=str(key))
        record("command", "began a rescoring", f"{suite.name} {suite.version}", reason=reason, submissions=len(keys))
        bump_revision()
    return begun, len(keys)


def rescore_upload(number: int, key: str) -> None:
    """Rescore a submission: add a private revision and, if it is public, a new entry; notify the team of changed scores."""
    begun, upload = Rescoring.objects.get(pk=number), Upload.objects.get(key=key)
    if upload.state not in CONCERNED or begun.values.filter(upload=upload).exists():
        return
    suite = load_suite(upload.suite)
    with stored_file(upload) as path:
        submission = read_submission(suite, path)
    if submission.problems.count() or submission.unread:
        _ask_anew(begun, upload)
        return
    old = upload.revisions.order_by("-pk").first()
    new = write_revision(upload, suite, submission)
    with transaction.atomic():
        fresh = lock_upload(key)
        changed = _publish_again(begun, fresh, suite, submission) if fresh.state == State.PUBLISHED else False
        if changed or (old is not None and new.pk != old.pk and _told(old) != _told(new)):
            notify_team(fresh, "rescored", reason=begun.reason)
        record("worker", "rescored", key, rescoring=number, revision=new.pk)


def _told(revision: ScoreRevision) -> list[Any]:
    """Return the scores that a team sees, without ranks, which change with every new system."""
    return [(task["task"], task["metric"], task["value"]) for task in revision.document["tasks"]]


def _ask_anew(begun: Rescoring, upload: Upload) -> None:
    with transaction.atomic():
        if upload.state == State.PUBLISHED and upload.system is not None:
            RescoredValue.objects.create(rescoring=begun, upload=upload, system=upload.system.name, task="", metric="", note=UNFIT)
        notify_team(upload, "resubmit", reason=begun.reason)
        record("worker", "does not fit", str(upload.key), rescoring=begun.pk)


def _publish_again(begun: Rescoring, upload: Upload, suite: Suite, submission: Submission) -> bool:
    """Publish a new entry beside the old one and list the changed scores; return whether there are any."""
    sheet = upload.sheets.filter(state=FactSheet.State.APPROVED).order_by("-pk").first()
    if sheet is None or upload.system is None:
        return False
    before = _shown(upload, suite)
    store(make_draft(upload, sheet, suite, submission), monotonic(), replace=True)
    mark_trained(upload, upload.system, sheet)
    bump_revision()
    after = _shown(upload, suite, suite.version)
    of = {"rescoring": begun, "upload": upload, "system": upload.system.name}
    rows = [
        RescoredValue(**of, task=task, metric=metric, old=before.get((task, metric)), new=new)
        for (task, metric), new in after.items()
        if _differs(before.get((task, metric)), new)
    ]
    RescoredValue.objects.bulk_create(rows)
    return bool(rows)


def _differs(old: float | None, new: float | None) -> bool:
    return (old is None) != (new is None) or (old is not None and new is not None and abs(old - new) > NEAR)


def _shown(upload: Upload, suite: Suite, version: str | None = None) -> Values:
    """Return the public scores of a submission's system on the ranked split, of one version or the latest."""
    rows = Score.objects.filter(entry__system=upload.system, entry__suite__name=suite.name, split=suite.score_split, slice="", current=True)
    rows = rows.filter(entry__suite__version=version) if version else rows
    return {(row.task, row.metric): row.value for row in rows.order_by("entry__suite__pk", "pk").defer("replicates")}
