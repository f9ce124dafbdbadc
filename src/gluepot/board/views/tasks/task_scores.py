"""Scores of all systems on one task, with rank intervals, drawn on one axis."""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from gluepot.board.drawing.marks import Axis, draw_places, make_axis
from gluepot.board.models import Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.record import StandingsPage, StandingsRow
from gluepot.board.standings.revisions import RevisionCache
from gluepot.board.standings.score_matrix import load_score_matrix
from gluepot.board.standings.state import State
from gluepot.board.templatetags.shown import decimal
from gluepot.records import Task
from gluepot.statistics.rank_intervals import UNKNOWN


@dataclass(frozen=True)
class TaskScoreRow:
    """A system's scores on this task, the ranking metric first."""

    slug: str
    name: str
    role: str
    family: str
    parameters: int | None
    address: str
    values: list[float | None]
    low: float | None
    high: float | None
    n: int | None
    coverage: float | None
    """Proportion of items answered, where skipping is allowed."""
    answered: float | None
    """Value of the first metric over the answered items, where the ranking value is over all items."""
    ranked: bool
    verified: bool
    note: str
    method: str
    """Source of the interval."""
    harness: str
    """Harness that computed the score, with its version, where reported."""
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    evidence: str = UNKNOWN
    """Evidence for the rank interval, as on the standings page."""

    @property
    def tied(self) -> bool:
        """Whether it may be the best, where its rank interval is known."""
        return self.rank_low == 1 and self.evidence != UNKNOWN


class DrawnRow(NamedTuple):
    """A table row with its drawings."""

    row: TaskScoreRow
    places: SafeString
    dot: SafeString
    bold: bool


_rows = RevisionCache[tuple[int | str, ...], list[Score]](most=16)
"""A small cache: a task page is requested in several languages and formats in succession."""


def standing_on(version: SuiteVersion, task: Task, split: str) -> StandingsPage:
    """Return the standings page ranked by this task alone."""
    return make_standings(version, State(only=task.name, split=split), whole=True)


def ranking_metrics(page: StandingsPage, task: Task) -> list[str]:
    """Return the task's metrics, first the one that ranks or that replaces it because no system has a score on it."""
    instead = [column.metrics[0] for column in page.tasks if column.name == task.name and column.instead]
    return list(dict.fromkeys([*instead, *task.metrics]))


def list_scores(version: SuiteVersion, task: Task, page: StandingsPage) -> list[TaskScoreRow]:
    """Return the systems with the ranking metric, best first and unranked last; scores on other data than the majority's are omitted."""
    metrics = ranking_metrics(page, task)
    found = _rows.get((version.pk, task.name, page.split, *metrics), page.revision, lambda: _read_rows(version, task, page.split, metrics))
    usual = load_score_matrix(version, page.split, page.revision).data.get(task.name)
    by_system: dict[int, dict[str, Score]] = {}
    for row in found:
        if not row.data or row.data == usual:
            by_system.setdefault(row.entry.system_id, {})[row.metric] = row
    places = {row.slug: row for row in page.rows} if page.only == task.name else {}
    listed = [_listed(metrics, scores, places) for scores in by_system.values() if metrics[0] in scores]
    return sorted(listed, key=lambda one: (not one.ranked, -(one.values[0] or 0)))


def _read_rows(version: SuiteVersion, task: Task, split: str, metrics: list[str]) -> list[Score]:
    rows = Score.objects.filter(entry__suite=version, task=task.name, split=split, slice="", current=True, metric__in=metrics)
    return list(rows.exclude(value=None).defer("replicates").select_related("entry__system"))


def _listed(metrics: list[str], scores: dict[str, Score], places: dict[str, StandingsRow]) -> TaskScoreRow:
    first = scores[metrics[0]]
    system = first.entry.system
    place = places.get(system.slug)
    return TaskScoreRow(
        slug=system.slug,
        name=system.name,
        role=system.role,
        family=system.family,
        parameters=system.parameters,
        address=addresses.system(system.slug),
        values=[scores[metric].value if metric in scores else None for metric in metrics],
        low=first.low,
        high=first.high,
        n=first.n,
        coverage=first.coverage,
        answered=first.answered,
        ranked=first.ranked,
        verified=first.verified,
        note=first.reason,
        method=first.method,
        harness=first.harness,
        rank=place.rank if place else None,
        rank_low=place.rank_low if place else None,
        rank_high=place.rank_high if place else None,
        evidence=place.evidence if place else UNKNOWN,
    )


def axis_for(rows: list[TaskScoreRow]) -> Axis | None:
    """Return a common axis for all ranked systems."""
    ranked = [row for row in rows if row.rank is not None and row.values[0] is not None]
    ends = [end for row in ranked for end in (row.low, row.high) if end is not None]
    return make_axis([row.values[0] for row in ranked if row.values[0] is not None], ends)


def draw_rows(rows: list[TaskScoreRow], axis: Axis | None, competing: int) -> list[DrawnRow]:
    best = max((row.values[0] or 0.0 for row in rows if row.verified and row.rank is not None), default=None)
    drawn = []
    for row in rows:
        known = row.evidence != UNKNOWN
        places = draw_places(row.rank_low, row.rank_high, competing, known=known) if row.rank is not None else ""
        dot = axis.draw(row.low, row.values[0], row.high) if axis and row.values[0] is not None else ""
        bold = row.rank is not None and row.verified and row.values[0] == best
        drawn.append(DrawnRow(row, mark_safe(places), mark_safe(dot), bold))  # noqa: S308  our own numbers
    return drawn


def draw_scale(axis: Axis, detectable: float | None) -> SafeString:
    """Draw the tick labels of the axis, above them a bar of the smallest difference detected with 80 % power."""
    ticks = format_html_join(
        "", '<text x="{}%" y="24">{}</text>', ((axis.at(tick), decimal(100 * tick, axis.digits)) for tick in axis.ticks)
    )
    bar = SafeString("")
    if detectable and detectable < axis.high - axis.low:
        bar = format_html(
            '<g class="bar"><line x1="{0}%" x2="{1}%" y1="6" y2="6"/><line x1="{0}%" x2="{0}%" y1="2" y2="10"/>'
            '<line x1="{1}%" x2="{1}%" y1="2" y2="10"/></g>',
            axis.at(axis.low),
            axis.at(axis.low + detectable),
        )
    return format_html('<svg class="scale" width="100%" height="28" aria-hidden="true">{}{}</svg>', bar, ticks)
