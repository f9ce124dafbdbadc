"""Permission to run a program: decided by a moderator, with a reason, for exactly the reviewed content."""

from django.db import transaction
from django.utils import timezone

from gluepot.board.moderation.audit import record
from gluepot.board.submitting.intake.quotas import return_slots
from gluepot.board.submitting.mails import notify_team
from gluepot.board.submitting.models import SubmittedProgram, Upload
from gluepot.board.submitting.states import State, StateError, lock_upload, move
from gluepot.board.submitting.tasks import defer_scoring

Permission = SubmittedProgram.Permission


def allow(program: SubmittedProgram, moderator: str, seen: str, reason: str) -> None:
    """Allow the program with the reviewed digest `seen` and queue its submission. Raises StateError if its content has another digest."""
    with transaction.atomic():
        upload = _decide(program, Permission.ALLOWED, seen, reason)
        move(upload, State.QUEUED, moderator)
        record(moderator, "allowed to run", str(upload.key), digest=seen, reason=reason)
        defer_scoring(upload)


def refuse(program: SubmittedProgram, moderator: str, seen: str, reason: str) -> None:
    """Refuse to run a program, return its slots and notify its team of the reason. Raises StateError."""
    with transaction.atomic():
        upload = _decide(program, Permission.REFUSED, seen, reason)
        move(upload, State.REFUSED, moderator, reason)
        return_slots(upload)
        record(moderator, "refused to run", str(upload.key), digest=seen, reason=reason)
        notify_team(upload, "refused", reason=reason)


def _decide(program: SubmittedProgram, decision: str, seen: str, reason: str) -> Upload:
    upload = lock_upload(program.upload.key)
    fresh = SubmittedProgram.objects.get(pk=program.pk)
    if upload.state != State.PROPOSED or fresh.permission != Permission.ASKED:
        raise StateError(f"this program is {fresh.permission} already, and its submission is {upload.state}.")
    if not reason.strip():
        raise StateError("the decision needs a reason.")
    if seen != fresh.digest:
        raise StateError("the program is another one than you were shown. Look at it once more.")
    program.permission, program.reason, program.decided = decision, reason, timezone.now()
    program.save(update_fields=["permission", "reason", "decided"])
    return upload
