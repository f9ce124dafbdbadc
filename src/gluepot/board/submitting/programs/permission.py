"""Permission to run a program: decided by a moderator, with a reason, for exactly the reviewed content."""

from django.db import transaction
from django.utils import timezone

from gluepot.board.moderation.audit import record
from gluepot.board.submitting.intake.quotas import give_back
from gluepot.board.submitting.mails import tell
from gluepot.board.submitting.models import SubmittedProgram, Upload
from gluepot.board.submitting.states import State, WrongStep, locked, move
from gluepot.board.submitting.tasks import defer_scoring

Permission = SubmittedProgram.Permission


def allow(program: SubmittedProgram, moderator: str, seen: str, reason: str) -> None:
    """Allow the program with the reviewed digest `seen` and queue its submission. Raises WrongStep if its content has another digest."""
    with transaction.atomic():
        upload = _decide(program, Permission.ALLOWED, seen, reason)
        move(upload, State.QUEUED, moderator)
        record(moderator, "allowed to run", str(upload.key), digest=seen, reason=reason)
        defer_scoring(upload)


def refuse(program: SubmittedProgram, moderator: str, seen: str, reason: str) -> None:
    """Refuse to run a program, return its slots and notify its team of the reason. Raises WrongStep."""
    with transaction.atomic():
        upload = _decide(program, Permission.REFUSED, seen, reason)
        move(upload, State.REFUSED, moderator, reason)
        give_back(upload)
        record(moderator, "refused to run", str(upload.key), digest=seen, reason=reason)
        tell(upload, "refused", reason=reason)


def _decide(program: SubmittedProgram, decision: str, seen: str, reason: str) -> Upload:
    upload = locked(program.upload.key)
    fresh = SubmittedProgram.objects.get(pk=program.pk)
    if upload.state != State.PROPOSED or fresh.permission != Permission.ASKED:
        raise WrongStep(f"this program is {fresh.permission} already, and its submission is {upload.state}.")
    if not reason.strip():
        raise WrongStep("the decision needs a reason.")
    if seen != fresh.digest:
        raise WrongStep("the program is another one than you were shown. Look at it once more.")
    program.permission, program.reason, program.decided = decision, reason, timezone.now()
    program.save(update_fields=["permission", "reason", "decided"])
    return upload
