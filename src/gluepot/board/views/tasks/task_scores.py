"""Everybody's scores on one task: with the places that they leave open, and drawn on one axis."""

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
from gluepot.board.standings.score_matrix import load_field
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
    """The share of items that were answered, where some may be left out."""
    answered: float | None
    """The first value over these alone, where the value that ranks is over all items."""
    ranked: bool
    verified: bool
    note: str
    method: str
    """What its interval is made from."""
    harness: str
    """What made it, with its version, where that is told."""
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    evidence: str = UNKNOWN
    """What the rank's interval is known from, as on the quality page."""

    @property
    def tied(self) -> bool:
        """Whether it may be the best, as far as anything is known."""
        return self.rank_low == 1 and self.evidence != UNKNOWN


class DrawnRow(NamedTuple):
    """A row of the table, with its drawings."""

    row: TaskScoreRow
    places: SafeString
    dot: SafeString
    bold: bool


_rows = RevisionCache[tuple[int | str, ...], list[Score]](most=16)
"""Few: a task's page is asked for in several languages and forms, one after the other."""


def standing_on(version: SuiteVersion, task: Task, split: str) -> StandingsPage:
    """The quality page where this task alone ranks."""
    return make_standings(version, State(only=task.name, split=split), whole=True)


def ranking_metrics(page: StandingsPage, task: Task) -> list[str]:
    """The task's metrics; first the one that ranks, or that stands in for it because nobody has it."""
    instead = [column.metrics[0] for column in page.tasks if column.name == task.name and column.instead]
    return list(dict.fromkeys([*instead, *task.metrics]))


def list_scores(version: SuiteVersion, task: Task, page: StandingsPage) -> list[TaskScoreRow]:
    """Everybody with the ranking metric, best first and what does not rank last; scores on other data than most are left out."""
    metrics = ranking_metrics(page, task)
    found = _rows.get((version.pk, task.name, page.split, *metrics), page.revision, lambda: _read_rows(version, task, page.split, metrics))
    usual = load_field(version, page.split, page.revision).data.get(task.name)
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
    """One axis for all that rank."""
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
    """The numbers of the axis, and over them the smallest difference that the test finds four times in five."""
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
