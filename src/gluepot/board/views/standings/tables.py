"""Export of a standings page: CSV at full precision, Markdown and LaTeX with formatted numbers."""

from typing import Any

from django.utils.translation import gettext as _

from gluepot.board.drawing.formats import WRITERS, Bold
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.record import ScoreCell, StandingsPage, StandingsRow, StandingsTask
from gluepot.board.standings.state import parse_state
from gluepot.board.templatetags.shown import decimal, number, score, share, span
from gluepot.statistics.rank_intervals import Rank

PLAIN = (
    *("rank", "rank_low", "rank_high", "evidence", "section", "system", "family", "parameters", "data_gigabytes"),
    *("overall", "overall_low", "overall_high", "coverage"),
)
"""CSV columns before those of the tasks."""
LAST = ("slug", "role", "verified", "languages", "team", "private_scorings", "ran_here", "open", "tied", "versions")
"""CSV columns after those of the tasks."""
CELL = ("verified", "note", "method", "harness", "ranked", "people", "same_items")
SAME = "ʰ"
"""Marker of scores over the items shown to human raters."""
EQUAL = 1e-12
"""Tolerance: equal means over seeds may differ by summation order."""
SKIPS = ("n", "coverage", "answered")
"""Additional columns of tasks that allow skipping items."""


def write_table(page: StandingsPage, form: str) -> str:
    """Return the page in a file format: exactly the rows that it shows."""
    notes = [page.citation, f"query: {page.query or '(none)'}"]
    if form == "csv":
        return WRITERS[form](_head(page), [_raw(page, row) for row in page.rows], notes)
    versions = [_("Version")] if len(page.versions) > 1 else []
    head = [_("System"), _("Rank"), _("Overall"), *versions, *(task.title for task in page.tasks)]
    intervals = "ci=95" in page.query.split("&")
    rows = [_shown_row(page, row, intervals=intervals) for row in page.rows]
    if any(not cell.verified for row in page.rows for cell in row.scores.values() if cell):
        notes.append(f"ʳ {_('reported by others, not recomputed')}")
    if page.same_items:
        notes.append(f"{SAME} {_('on the items that people were asked')}")
    if mixed := mixed_versions(page):
        told = _("The scores here were made by different versions: %(names)s. Compare them with care, or choose one version.")
        notes.append(told % {"names": mixed})
    return WRITERS[form](head, rows, notes)


def mixed_versions(page: StandingsPage) -> str:
    """Return the harness versions with their score counts if the board mixes versions, empty if one was selected."""
    mixed = len(page.versions) > 1 and not parse_state(page.query).harness
    return ", ".join(f"{name} ({count})" for name, count in page.versions.items()) if mixed else ""


def is_best(task: StandingsTask, cell: ScoreCell | None) -> bool:
    """Whether a cell is bold: the best ranked value computed here, of any system."""
    if cell is None or task.best is None or not (cell.verified and cell.ranked):
        return False
    return abs(cell.value - task.best) < EQUAL


def is_best_overall(page: StandingsPage, row: StandingsRow) -> bool:
    """Whether an overall score is bold."""
    return row.verified and row.overall is not None and row.overall == page.best


def _shown_row(page: StandingsPage, row: StandingsRow, *, intervals: bool) -> list[Any]:
    """Return a row as on the page: with intervals if enabled, a marker on reported scores, and the best in bold."""
    mean = overall(page, row)
    if mean is not None:
        mean += ("" if row.verified else "ʳ") + (_interval(row.overall_low, row.overall_high) if intervals else "")
        mean = Bold(mean) if is_best_overall(page, row) else mean
    cells = []
    for task in page.tasks:
        cell = row.scores[task.name]
        text = _cell(cell, intervals=intervals)
        cells.append(Bold(text) if text and is_best(task, cell) else text)
    versions = [", ".join(row.versions) or None] if len(page.versions) > 1 else []
    return [row.system, rank_of(row), mean, *versions, *cells]


def _interval(low: float | None, high: float | None) -> str:
    ends = span(low, high)
    return f" [{ends}]" if ends else ""


def rank_of(row: StandingsRow) -> str | None:
    return str(Rank(row.rank, row.rank_low, row.rank_high)) if row.rank else None


def overall(page: StandingsPage, row: StandingsRow) -> str | None:
    """Format the overall value: a score, or a mean rank or share of duels."""
    if row.overall is None:
        return None
    return score(row.overall) if AGGREGATES[page.aggregate].score else decimal(abs(row.overall), 2)


def _cell(cell: ScoreCell | None, *, intervals: bool = False) -> str | None:
    if cell is None:
        return None
    text = " / ".join(score(value) for value in (cell.value, *(value for _name, value in cell.others)))
    text += ("" if cell.verified else "ʳ") + (_interval(cell.low, cell.high) if intervals else "")
    counted = [f"n {number(cell.n)}, {share(cell.coverage)} %"] if cell.n is not None and cell.coverage is not None else []
    counted += [describe_people(cell.people)] if cell.people else []
    counted += [f"{score(cell.same_items)}{SAME}"] if cell.same_items is not None else []
    counted += [] if cell.ranked else [_("not ranked")]
    return f"{text} ({', '.join(counted)})" if counted else text


def describe_people(people: dict[str, float]) -> str:
    """Describe the sample size of a human score."""
    told = {"items": number(int(people["items"])), "votes": decimal(people["votes_an_item"], 1), "raters": number(int(people["raters"]))}
    return _("items: %(items)s, votes an item: %(votes)s, raters: %(raters)s") % told


def _head(page: StandingsPage) -> list[str]:
    values = {task.name: [f"{metric}{end}" for metric in task.metrics for end in ("", ":low", ":high")] for task in page.tasks}
    own = [f"{task.name}:{what}" for task in page.tasks for what in (*values[task.name], *_facts(task))]
    return [*PLAIN, *own, *LAST]


def _facts(task: StandingsTask) -> tuple[str, ...]:
    return CELL + SKIPS if task.skips else CELL


def _raw(page: StandingsPage, row: StandingsRow) -> list[Any]:
    own = [value for task in page.tasks for value in _raw_cell(task, row.scores[task.name])]
    return [*(_plain(getattr(row, name)) for name in PLAIN), *own, *(_plain(getattr(row, name)) for name in LAST)]


def _raw_cell(task: StandingsTask, cell: ScoreCell | None) -> list[Any]:
    facts = _facts(task)
    if cell is None:
        return [None] * (3 * len(task.metrics) + len(facts))
    others = dict(cell.others)
    more = [value for metric in task.metrics[1:] for value in (others.get(metric), None, None)]
    return [cell.value, cell.low, cell.high, *more, *(_plain(getattr(cell, what)) for what in facts)]


def _plain(value: Any) -> Any:
    """Convert a value to a single CSV cell: booleans to 1 and 0, lists joined by spaces, mappings as name=value.

    >>> _plain(True), _plain(("sv", "da")), _plain({"weights": True, "code": None, "data": False}), _plain({"items": 30, "votes": 2.5})
    (1, 'sv da', 'data=0 weights=1', 'items=30 votes=2.5')
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict):
        return " ".join(f"{name}={value[name]:g}" for name in sorted(value) if value[name] is not None)
    if isinstance(value, list):
        return ("; " if any(" " in word for word in value) else " ").join(value)
    return " ".join(value) if isinstance(value, tuple) else value
