"""JSON representation of submissions in the API."""

from typing import Any

from gluepot.board.submitting.models import SubmittedProgram, Upload, program_of
from gluepot.board.submitting.views.own import stored_file_response as shown_file  # same download as on the page

FIELDS = (
    "name",
    "suite",
    "version",
    "task",
    "state",
    "reason",
    "filename",
    "size",
    "tasks",
    "notices",
    "made",
    "queued",
    "scored",
    "published",
)
__all__ = ["shown_file", "shown_upload"]


def shown_upload(upload: Upload) -> dict[str, Any]:
    """Return everything that the team may see of a submission, including its private score."""
    revision = upload.revisions.order_by("-pk").first()
    facts = {name: getattr(upload, name) for name in FIELDS}
    public = f"/s/{upload.system.slug}" if upload.system else None
    scores = {"score": revision.document if revision else None, "program": _shown_program(program_of(upload))}
    return {"key": str(upload.key), **facts, **scores, "page": f"/submissions/{upload.key}", "public": public}


def _shown_program(program: SubmittedProgram | None) -> dict[str, Any] | None:
    names = ("kind", "words", "files", "digest", "permission", "reason", "decided", "ran", "figures")
    return {name: getattr(program, name) for name in names} if program else None
