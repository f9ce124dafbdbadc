"""The rows of the quality table. Their HTML is joined by hand: 500 rows of 20 cells took a template a second, and this 20 ms."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from django.utils.html import escape
from django.utils.translation import gettext as _

from gluepot.board import addresses
from gluepot.board.standings.field import Column, Facts, Field
from gluepot.board.standings.ranking import REFERENCE, Standing
from gluepot.board.templatetags.shown import DASH, decimal, score, size, span
from gluepot.statistics.ranks import Rank


@dataclass(frozen=True)
class Cell:
    """A system's score on a task."""

    value: float
    low: float | None
    high: float | None
    verified: bool
    others: tuple[tuple[str, float], ...] = ()
    """The task's further metrics."""
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A system as the table shows it."""

    facts: Facts
    section: str
    rank: Rank | None
    overall: float | None
    low: float | None
    high: float | None
    covered: int
    reported: bool
    cells: list[Cell | None]


def known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def make_rows(field: Field, standing: Standing, columns: Sequence[Column], numbers: Sequence[int], section: str) -> list[Row]:
    entries = [[field.entries[column.name, metric] for metric in column.metrics] for column in columns]
    return [
        Row(
            facts=field.systems[number],
            section=section,
            rank=standing.ranks.get(number),
            overall=known(standing.overall[number]),
            low=known(standing.low[number]),
            high=known(standing.high[number]),
            covered=int(standing.covered[number]),
            reported=bool(standing.reported[number]),
            cells=[_cell(field, column, found, number) for column, found in zip(columns, entries, strict=True)],
        )
        for number in numbers
    ]


def _cell(field: Field, column: Column, entries: Sequence[int], system: int) -> Cell | None:
    first = entries[0]
    value = field.values[first, system]
    if isnan(value):
        return None
    others = tuple(
        (metric, float(field.values[entry, system]))
        for metric, entry in zip(column.metrics[1:], entries[1:], strict=True)
        if not isnan(field.values[entry, system])
    )
    low, high = known(field.low[first, system]), known(field.high[first, system])
    return Cell(float(value), low, high, bool(field.verified[first, system]), others, field.notes.get((first, system), ""))


def best_values(sections: dict[str, list[Row]], columns: Sequence[Column]) -> list[float | None]:
    """The best shown value of each column among systems, the overall one first: it is printed bold."""
    rows = [row for rows in sections.values() for row in rows if row.facts.ranked]
    overall = [row.overall for row in rows if row.overall is not None and row.rank]
    tasks = [[cell.value for row in rows if (cell := row.cells[place])] for place in range(len(columns))]
    return [max(values) if values else None for values in (overall, *tasks)]


@dataclass(frozen=True)
class Style:
    """How rows are shown: with intervals or without, out of how many terms, under which aggregate."""

    terms: int
    intervals: bool
    aggregate: str


def render_rows(rows: Sequence[Row], best: Sequence[float | None], style: Style) -> str:
    """The `<tr>`s. `data-v` holds what the browser sorts by."""
    words = {"baseline": _("baseline"), "human": _("human")}
    return "".join(_row(row, best, style, words) for row in rows)


def _row(row: Row, best: Sequence[float | None], style: Style, words: dict[str, str]) -> str:
    facts = row.facts
    parts = [
        f'<tr data-o="{",".join(what for what, is_open in facts.open.items() if is_open)}"><td class="rank">',
        _rank(row),
        f'</td><th scope="row"><a href="{escape(addresses.system(facts.slug))}">{escape(facts.name)}</a>{_badges(row, words)}</th>',
        f'<td class="word">{escape(facts.family) or DASH}</td>',
        f"<td{_sortable(facts.parameters)}>{size(facts.parameters)}</td>",
        f"<td{_sortable(facts.data_size)}>{decimal(facts.data_size, 0)}</td>",
        _overall(row, best[0], style),
        f'<td{"" if row.covered == style.terms else " class=part"} data-v="{row.covered}">{row.covered}/{style.terms}</td>',
    ]
    for cell, top in zip(row.cells, best[1:], strict=True):
        parts.append("<td>–</td>" if cell is None else _score(cell, top, style))
    parts.append("</tr>\n")
    return "".join(parts)


def _rank(row: Row) -> str:
    if row.rank is None:
        return DASH
    rank = row.rank
    if rank.low is None:
        return f"{rank.rank}"
    return f"{rank.rank} <small>({rank.low}{DASH}{rank.high})</small>" if rank.low != rank.high else f"{rank.rank}"


def _badges(row: Row, words: dict[str, str]) -> str:
    if row.facts.role == "human":
        return f'<span class="badge">{words["human"]}</span>'
    if row.section == REFERENCE and not row.facts.ranked:
        return f'<span class="badge">{words["baseline"]}</span>'
    return ""


def _sortable(value: float | None) -> str:
    return "" if value is None else f' data-v="{value:.10g}"'


def _overall(row: Row, best: float | None, style: Style) -> str:
    if row.overall is None:
        return '<td class="overall">–</td>'
    text = score(row.overall) if style.aggregate in ("mean", "min") else decimal(abs(row.overall), 2)
    text = f"<b>{text}</b>" if row.overall == best else text
    ends = f"<small>{span(row.low, row.high)}</small>" if style.intervals and row.low is not None else ""
    return f'<td class="overall{" told" if row.reported else ""}" data-v="{row.overall * 1e5:.0f}">{text}{ends}</td>'


def _score(cell: Cell, best: float | None, style: Style) -> str:
    text = score(cell.value)
    text = f"<b>{text}</b>" if cell.value == best else text
    if cell.others:
        text += "<small>" + " / ".join(score(value) for _metric, value in cell.others) + "</small>"
    if style.intervals and cell.low is not None:
        text += f'<small class="ci">{span(cell.low, cell.high)}</small>'
    told = "" if cell.verified else " class=told"
    return f"<td{told} data-v={cell.value * 1e5:.0f}>{text}</td>"
