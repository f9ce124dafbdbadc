"""Scores with their sources; replicates are not exposed, because they would reveal hidden gold."""

from typing import Any

from django.db.models import F
from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from gluepot.board.api.paging import PageParameters, Word, page_of
from gluepot.board.api.schemas import NOT_VALID, Scores
from gluepot.board.models import Score

router = Router()


class ScoreQuery(PageParameters):
    """Filters of the list of scores."""

    suite: Word = None
    version: Word = None
    task: Word = None
    split: Word = None
    metric: Word = None
    slice: Word = Field(None, description="a part of a diagnostic; empty for wholes only")
    system: Word = Field(None, description="the system's slug")
    current: bool = Field(True, description="false: what newer scores replaced")
    verified: bool | None = Field(None, description="true: computed here from predictions; false: reported by somebody")


_WHERE = {
    "suite": "entry__suite__name",
    "version": "entry__suite__version",
    "task": "task",
    "split": "split",
    "metric": "metric",
    "slice": "slice",
    "system": "entry__system__slug",
    "current": "current",
    "verified": "verified",
}
_OWN = (
    *("task", "split", "metric", "slice", "value", "low", "high", "n", "coverage", "answered", "ranked"),
    *("verified", "method", "harness", "reason", "data", "current"),
)
_OTHERS = {
    "suite": "entry__suite__name",
    "version": "entry__suite__version",
    "system": "entry__system__slug",
    "name": "entry__system__name",
    "kind": "entry__kind",
    "source": "entry__source",
}


@router.get("/scores", response={200: Scores, **NOT_VALID}, summary="Scores")
def list_scores(request: HttpRequest, asked: Query[ScoreQuery]) -> dict[str, Any]:
    """List the scores that match the filters, by default only those that the board shows, oldest first."""
    given = {column: getattr(asked, name) for name, column in _WHERE.items()}
    rows = Score.objects.filter(**{column: value for column, value in given.items() if value is not None}).order_by("pk")
    return page_of(request, rows.values(*_OWN, **{name: F(column) for name, column in _OTHERS.items()}), asked)
