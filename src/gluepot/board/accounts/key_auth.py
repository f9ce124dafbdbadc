"""API key authentication; the scope of a key is checked at every call."""

from typing import Any

from django.http import HttpRequest
from ninja import P, PathEx, Schema
from ninja.errors import HttpError
from ninja.security import HttpBearer

from gluepot.board.accounts.keys import ALLOWED, may_moderate
from gluepot.board.accounts.models import ApiKey, find_key
from gluepot.board.api.schemas import ProblemSchema
from gluepot.board.submitting.intake.rate_limits import CALLS, address_of

Scope = ApiKey.Scope
Number = PathEx[int, P(ge=1, lt=2**31, description="its number, as other calls tell it")]


class BusySchema(Schema):
    """Too many requests, or no submission left."""

    detail: str
    retry_after: int | None = None
    next: Any = None
    tasks: list[str] = []


REFUSALS: dict[int, Any] = {**dict.fromkeys((400, 401, 403, 404, 409, 422), ProblemSchema), 429: BusySchema}
"""Error responses of any call."""
FILE = {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}, "description": "A zip."}
ZIP = {"responses": {200: FILE}}
"""OpenAPI description of a response that is a zip file."""


class KeyAuth(HttpBearer):
    """`Authorization: Bearer gluepot_…`; revoked or expired keys, and keys of blocked members, are rejected."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        CALLS.count(f"from {address_of(request)}")  # invalid keys too
        found = find_key(token)
        if found is not None:
            CALLS.count(f"account {found.member_id}")
        return found


def key_of(request: HttpRequest, scope: str = Scope.READ) -> ApiKey:
    """Return the key of the request if its scope allows this; a moderation key requires a current moderator with a second factor."""
    key: ApiKey = request.auth  # type: ignore[attr-defined]
    if scope not in ALLOWED[key.scope] or (key.scope == Scope.MODERATE and not may_moderate(key.member)):
        raise HttpError(403, f"this key may only {key.scope}: a key that may {scope} is needed, which is made under Account.")
    return key
