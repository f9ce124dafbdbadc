"""What people do with a submission once it is scored: ask for publication, change its facts, withdraw it; and what moderators decide."""

from django.db import transaction
from django.utils import timezone

from gluepot.board.moderation.audit import record
from gluepot.board.submitting.mails import tell
from gluepot.board.submitting.models import FactSheet, Upload
from gluepot.board.submitting.states import State, WrongStep, locked, move
from gluepot.board.submitting.tasks import publish, withdraw

Sheet = FactSheet.State


def current_sheet(upload: Upload) -> FactSheet | None:
    """The newest facts, whatever became of them."""
    return upload.sheets.order_by("-pk").first()


def editable_sheet(upload: Upload) -> FactSheet:
    """The facts to write into: the draft at hand, or a copy of what was decided on, which stays as it is."""
    found = current_sheet(upload)
    if found is None:
        return FactSheet(upload=upload, name=upload.name)
    if found.state in (Sheet.DRAFT, Sheet.REVIEW):
        return found
    found.pk, found.state, found.reason, found.decided = None, Sheet.DRAFT, "", None
    found._state.adding = True
    return found


def save_draft(upload: Upload, sheet: FactSheet) -> None:
    """Keep facts without asking for publication; those that are in review stay there."""
    if upload.state not in (State.SCORED, State.REJECTED, State.REVIEW, State.PUBLISHED):
        raise WrongStep(f"a submission that is {upload.state} has no facts yet.")
    sheet.save()


def ask_for_review(upload: Upload, sheet: FactSheet, actor: str) -> None:
    """Facts to the moderators, and the first letter: everything was verified."""
    with transaction.atomic():
        fresh = locked(upload.key)
        if fresh.state not in (State.SCORED, State.REJECTED, State.REVIEW, State.PUBLISHED):
            raise WrongStep(f"a submission that is {fresh.state} cannot be published.")
        sheet.state = Sheet.REVIEW
        sheet.save()
        fresh.name = sheet.name
        fresh.save(update_fields=["name"])
        if fresh.state in (State.SCORED, State.REJECTED):
            move(fresh, State.REVIEW, actor)
        record(actor, "asked for review", str(fresh.key), sheet=sheet.pk)
        tell(fresh, "verified")


def approve(sheet: FactSheet, moderator: str) -> None:
    """Let it onto the board; a worker puts it there."""
    with transaction.atomic():
        fresh = locked(sheet.upload.key)
        if sheet.state != Sheet.REVIEW or fresh.state not in (State.REVIEW, State.PUBLISHED):
            raise WrongStep(f"these facts are {sheet.state}, and the submission is {fresh.state}.")
        sheet.state, sheet.decided, sheet.reason = Sheet.APPROVED, timezone.now(), ""
        sheet.save()
        if fresh.state == State.REVIEW:
            move(fresh, State.PUBLISHING, moderator)
        record(moderator, "approved", str(fresh.key), sheet=sheet.pk)
        publish.configure(queueing_lock=f"publish-{sheet.pk}").defer(sheet=sheet.pk)


def reject(sheet: FactSheet, moderator: str, reason: str) -> None:
    """Keep it off the board, and say why; of a change to what is public, the old facts stay."""
    with transaction.atomic():
        fresh = locked(sheet.upload.key)
        if sheet.state != Sheet.REVIEW or not reason.strip():
            raise WrongStep("only what is in review can be rejected, and with a reason.")
        sheet.state, sheet.decided, sheet.reason = Sheet.REJECTED, timezone.now(), reason
        sheet.save()
        if fresh.state == State.REVIEW:
            move(fresh, State.REJECTED, moderator, reason)
        record(moderator, "rejected", str(fresh.key), sheet=sheet.pk, reason=reason)
        tell(fresh, "rejected", reason=reason)


def withdraw_upload(upload: Upload, actor: str) -> None:
    """Take it back; what it showed is taken down by a worker. A slot that it used stays used."""
    with transaction.atomic():
        fresh = locked(upload.key)
        shown = fresh.state == State.PUBLISHED
        if fresh.state in (State.DRAFT, State.PROPOSED, State.QUEUED):
            fresh.slots.update(returned=True)
        move(fresh, State.WITHDRAWN, actor)
        record(actor, "withdrew", str(fresh.key))
        if shown:
            withdraw.defer(key=str(fresh.key))
