"""State machine of submissions; every transition is recorded."""

from uuid import UUID

from django.utils import timezone

from gluepot.board.submitting.models import Transition, Upload

State = Upload.State
NEXT: dict[str, tuple[str, ...]] = {
    State.DRAFT: (State.QUEUED, State.PROPOSED, State.WITHDRAWN),
    State.PROPOSED: (State.QUEUED, State.REFUSED, State.WITHDRAWN),
    State.REFUSED: (State.WITHDRAWN,),
    State.QUEUED: (State.SCORING, State.FAILED, State.WITHDRAWN),
    State.SCORING: (State.SCORED, State.FAILED, State.QUEUED),
    State.SCORED: (State.REVIEW, State.WITHDRAWN),
    State.REVIEW: (State.PUBLISHING, State.REJECTED, State.SCORED, State.WITHDRAWN),
    State.PUBLISHING: (State.PUBLISHED, State.REVIEW),
    State.PUBLISHED: (State.WITHDRAWN,),
    State.REJECTED: (State.REVIEW, State.WITHDRAWN),
    State.FAILED: (State.QUEUED, State.WITHDRAWN),
    State.WITHDRAWN: (),
}


class StateError(Exception):
    """Raised for an operation that the state of a submission does not allow."""


def move(upload: Upload, state: str, actor: str, reason: str = "") -> None:
    """Move a submission, whose row the caller has locked, to a new state. Raises StateError."""
    if state not in NEXT[upload.state]:
        raise StateError(f"a submission that is {upload.state} cannot become {state}.")
    upload.state, upload.reason = state, reason
    now = timezone.now()
    if state == State.QUEUED:
        upload.queued = now
    elif state == State.SCORED and upload.scored is None:
        upload.scored = now
    elif state == State.PUBLISHED:
        upload.published = now
    upload.save()
    Transition.objects.create(upload=upload, state=state, actor=actor, reason=reason)


def lock_upload(key: UUID | str) -> Upload:
    """Return a submission with its row locked for the current transaction."""
    return Upload.objects.select_for_update(no_key=True).get(key=key)
