"""Actions on scored submissions: review request, change of metadata and withdrawal by teams, approval and rejection by moderators."""

from django.db import transaction
from django.utils import timezone

from gluepot.board.moderation.audit import record
from gluepot.board.submitting.mails import notify_team
from gluepot.board.submitting.models import FactSheet, Upload
from gluepot.board.submitting.states import State, StateError, lock_upload, move
from gluepot.board.submitting.tasks import publish, withdraw

Sheet = FactSheet.State


def current_sheet(upload: Upload) -> FactSheet | None:
    """Return the newest fact sheet in any state, or None."""
    return upload.sheets.order_by("-pk").first()


def editable_sheet(upload: Upload) -> FactSheet:
    """Return the fact sheet to edit: the current one if undecided, else an unsaved copy of it, or a new one."""
    found = current_sheet(upload)
    if found is None:
        return FactSheet(upload=upload, name=upload.name)
    if found.state in (Sheet.DRAFT, Sheet.REVIEW):
        return found
    found.pk, found.state, found.reason, found.decided = None, Sheet.DRAFT, "", None
    found._state.adding = True
    return found


def save_draft(upload: Upload, sheet: FactSheet) -> None:
    """Save a fact sheet without requesting a review; one in review stays in review. Raises StateError."""
    if upload.state not in (State.SCORED, State.REJECTED, State.REVIEW, State.PUBLISHED):
        raise StateError(f"a submission that is {upload.state} has no facts yet.")
    sheet.save()


def ask_for_review(upload: Upload, sheet: FactSheet, actor: str) -> None:
    """Submit a fact sheet for review and e-mail the team that the submission was verified. Raises StateError."""
    with transaction.atomic():
        fresh = lock_upload(upload.key)
        if fresh.state not in (State.SCORED, State.REJECTED, State.REVIEW, State.PUBLISHED):
            raise StateError(f"a submission that is {fresh.state} cannot be published.")
        sheet.state = Sheet.REVIEW
        sheet.save()
        fresh.name = sheet.name
        fresh.save(update_fields=["name"])
        if fresh.state in (State.SCORED, State.REJECTED):
            move(fresh, State.REVIEW, actor)
        record(actor, "asked for review", str(fresh.key), sheet=sheet.pk)
        notify_team(fresh, "verified")


def approve(sheet: FactSheet, moderator: str) -> None:
    """Approve a fact sheet and queue its publication. Raises StateError."""
    with transaction.atomic():
        fresh = lock_upload(sheet.upload.key)
        if sheet.state != Sheet.REVIEW or fresh.state not in (State.REVIEW, State.PUBLISHED):
            raise StateError(f"these facts are {sheet.state}, and the submission is {fresh.state}.")
        sheet.state, sheet.decided, sheet.reason = Sheet.APPROVED, timezone.now(), ""
        sheet.save()
        if fresh.state == State.REVIEW:
            move(fresh, State.PUBLISHING, moderator)
        record(moderator, "approved", str(fresh.key), sheet=sheet.pk)
        publish.configure(queueing_lock=f"publish-{sheet.pk}").defer(sheet=sheet.pk)


def reject(sheet: FactSheet, moderator: str, reason: str) -> None:
    """Reject a fact sheet with a reason; the current metadata of a published system stays. Raises StateError."""
    with transaction.atomic():
        fresh = lock_upload(sheet.upload.key)
        if sheet.state != Sheet.REVIEW or not reason.strip():
            raise StateError("only what is in review can be rejected, and with a reason.")
        sheet.state, sheet.decided, sheet.reason = Sheet.REJECTED, timezone.now(), reason
        sheet.save()
        if fresh.state == State.REVIEW:
            move(fresh, State.REJECTED, moderator, reason)
        record(moderator, "rejected", str(fresh.key), sheet=sheet.pk, reason=reason)
        notify_team(fresh, "rejected", reason=reason)


def withdraw_upload(upload: Upload, actor: str) -> None:
    """Withdraw a submission; a worker takes it down if it is public. Its slots are returned only if it was not scored yet."""
    with transaction.atomic():
        fresh = lock_upload(upload.key)
        shown = fresh.state == State.PUBLISHED
        if fresh.state in (State.DRAFT, State.PROPOSED, State.QUEUED):
            fresh.slots.update(returned=True)
        move(fresh, State.WITHDRAWN, actor)
        record(actor, "withdrew", str(fresh.key))
        if shown:
            withdraw.defer(key=str(fresh.key))
