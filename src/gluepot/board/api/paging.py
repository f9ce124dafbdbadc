"""Pagination of lists: limit, offset and the address of the next page."""

from typing import Annotated, Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import P, PathEx, Schema
from pydantic import Field

MOST = 500
"""Maximum number of items per page."""
FARTHEST = 10_000_000
WORD = r"^[^\x00]*$"
"""Any text without NUL, which PostgreSQL cannot store."""
NAME = r"^[A-Za-z0-9_.-]+$"

Word = Annotated[str | None, Field(max_length=200, pattern=WORD)]
SuiteName = PathEx[str, P(max_length=100, pattern=NAME, description="its short name, as in the address of its page")]
VersionName = PathEx[str, P(max_length=50, pattern=NAME, description="the version, as in the address of its page")]
Slug = PathEx[str, P(max_length=120, pattern=NAME, description="the system's short name, as in the address of its page")]
Key = PathEx[str, P(max_length=40, pattern=NAME, description="the snapshot's name: its day and its content")]


class PageParameters(Schema):
    """Pagination parameters."""

    limit: int = Field(100, ge=1, le=MOST, description="how many at most")
    offset: int = Field(0, ge=0, le=FARTHEST, description="how many to leave out before the first")


class Page(Schema):
    """One page of a list."""

    count: int = Field(description="how many there are in all")
    limit: int
    offset: int
    next: str | None = Field(description="the address of the next part")


def page_of(request: HttpRequest, rows: "QuerySet[Any]", asked: PageParameters) -> dict[str, Any]:
    """Return one page of a queryset with the total count and the address of the next page, in two queries."""
    count = rows.count()
    items = list(rows[asked.offset : asked.offset + asked.limit])
    onward = asked.offset + asked.limit
    return {
        "count": count,
        "limit": asked.limit,
        "offset": asked.offset,
        "next": _next(request, onward) if items and onward < count else None,
        "items": items,
    }


def _next(request: HttpRequest, offset: int) -> str:
    query = [(name, value) for name, values in request.GET.lists() if name != "offset" for value in values]
    return f"{request.path}?{urlencode([*query, ('offset', offset)])}"
