"""Page of the public scores changed by each rescoring of a suite."""

from dataclasses import dataclass, field
from datetime import datetime

from django.http import HttpRequest, HttpResponse

from gluepot.board.models import SuiteVersion
from gluepot.board.submitting.models import Rescoring
from gluepot.board.views import find_version, render_page

FEWEST, MOST = 1, 6
"""Range of the decimals shown."""


@dataclass(frozen=True)
class ChangedValue:
    """A public score before and after; without a task, a system that could not be rescored."""

    system: str
    task: str
    metric: str
    old: float | None
    new: float | None
    note: str

    @property
    def digits(self) -> int:
        """The fewest decimals that distinguish the values: a change from 62.9 to 62.9 would be confusing."""
        if self.old is None or self.new is None:
            return FEWEST
        return next((some for some in range(FEWEST, MOST) if round(100 * self.old, some) != round(100 * self.new, some)), MOST)


@dataclass(frozen=True)
class RescoringLine:
    """A rescoring with its changed values."""

    version: str
    scorer: str
    reason: str
    made: datetime
    values: list[ChangedValue] = field(default_factory=list)


@dataclass(frozen=True)
class ChangesPage:
    """Context of the page."""

    suite: str
    version: str
    title: str
    rescorings: list[RescoringLine]


def changes_page(version: SuiteVersion) -> ChangesPage:
    rows = Rescoring.objects.filter(suite=version.name).order_by("-pk").prefetch_related("values")
    lines = []
    for row in rows:
        values = sorted(row.values.all(), key=lambda value: (value.system, value.pk))
        told = [ChangedValue(value.system, value.task, value.metric, value.old, value.new, value.note) for value in values]
        lines.append(RescoringLine(row.version, row.scorer, row.reason, row.made, told))
    return ChangesPage(version.name, version.version, version.declaration["title"], lines)


def view(request: HttpRequest, suite: str, form: str | None = None) -> HttpResponse:
    return render_page(request, changes_page(find_version(suite)), "changes", form)
