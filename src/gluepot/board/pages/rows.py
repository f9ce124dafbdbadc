"""The rows of the quality table. Their HTML is joined by hand: 500 rows of 20 cells took a template a second, and this 20 ms."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from urllib.parse import quote

from django.utils.html import escape
from django.utils.translation import gettext as _

from gluepot.board import addresses
from gluepot.board.standings.field import Column, Facts, Field
from gluepot.board.standings.ranking import Standing
from gluepot.board.templatetags.shown import DASH, MINUS, decimal, size
from gluepot.statistics.ranks import Rank

EMPTY = f"<td>{DASH}</td>"
TOLD = "<i>ʳ</i>"
"""The mark of a number that was only reported."""


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


def make_rows(field: Field, standing: Standing, columns: Sequence[Column], numbers: Sequence[int], section: str) -> list[Row]:
    """The rows of the named systems, in their order."""
    cells = zip(*(_column_cells(field, column, numbers) for column in columns), strict=True) if columns else ([] for _number in numbers)
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
            cells=list(found),
        )
        for number, found in zip(numbers, cells, strict=True)
    ]


def known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _column_cells(field: Field, column: Column, numbers: Sequence[int]) -> list[Cell | None]:
    """One column; plain lists, because asking an array for one number at a time is slow."""
    first, *others = (field.entries[column.name, metric] for metric in column.metrics)
    chosen = list(numbers)
    values, low, high = (array[first, chosen].tolist() for array in (field.values, field.low, field.high))
    verified = field.verified[first, chosen].tolist()
    more = [field.values[entry, chosen].tolist() for entry in others]
    notes = field.notes
    return [
        None
        if value != value
        else Cell(
            value,
            None if low[at] != low[at] else low[at],
            None if high[at] != high[at] else high[at],
            verified[at],
            tuple((metric, row[at]) for metric, row in zip(column.metrics[1:], more, strict=True) if row[at] == row[at]),
            notes.get((first, chosen[at]), ""),
        )
        for at, value in enumerate(values)
    ]


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
    return "".join(map(Pen(style, best).row, rows))


class Pen:
    """Writes rows, with the words and marks of the visitor's language looked up once."""

    def __init__(self, style: Style, best: Sequence[float | None]) -> None:
        self.style, self.best = style, best
        self.mark = decimal(0.5)[1]
        self.systems = addresses.system("")
        self.badges = {"trivial": _("baseline"), "human": _("human")}

    def score(self, value: float) -> str:
        """As the filter of the same name, without asking for the language each time."""
        text = f"{100 * value:.1f}"
        if text[0] == "-":
            text = text[1:] if text == "-0.0" else f"{MINUS}{text[1:]}"
        return text if self.mark == "." else text.replace(".", self.mark)

    def span(self, low: float, high: float) -> str:
        return f"{self.score(low)}{DASH if low >= 0 else ' … '}{self.score(high)}"

    def row(self, row: Row) -> str:
        facts, style = row.facts, self.style
        parts = [
            f'<tr data-o="{",".join(what for what, is_open in facts.open.items() if is_open)}"><td class="rank">',
            _rank(row),
            f'</td><th scope="row"><a href="{self.systems}{escape(quote(facts.slug))}">{escape(facts.name)}</a>{self.badge(row)}</th>',
            f'<td class="word">{escape(facts.family) or DASH}</td>',
            f"<td{_sortable(facts.parameters)}>{size(facts.parameters)}</td>",
            f"<td{_sortable(facts.data_size)}>{decimal(facts.data_size, 0)}</td>",
            self.overall(row),
            f'<td{"" if row.covered == style.terms else " class=part"} data-v="{row.covered}">{row.covered}/{style.terms}</td>',
        ]
        parts += [EMPTY if cell is None else self.cell(cell, top) for cell, top in zip(row.cells, self.best[1:], strict=True)]
        return "".join([*parts, "</tr>\n"])

    def badge(self, row: Row) -> str:
        word = self.badges.get(row.facts.role)
        return f'<span class="badge">{word}</span>' if word else ""

    def overall(self, row: Row) -> str:
        if row.overall is None:
            return '<td class="overall">–</td>'
        text = self.score(row.overall) if self.style.aggregate in ("mean", "min") else decimal(abs(row.overall), 2)
        text = f"<b>{text}</b>" if row.overall == self.best[0] else text
        text += TOLD if row.reported else ""
        if self.style.intervals and row.low is not None and row.high is not None:
            text += f"<small>{self.span(row.low, row.high)}</small>"
        return f'<td class="overall" data-v="{row.overall * 1e5:.0f}">{text}</td>'

    def cell(self, cell: Cell, best: float | None) -> str:
        text = self.score(cell.value)
        if cell.value == best:
            text = f"<b>{text}</b>"
        if not cell.verified:
            text += TOLD
        if cell.others:
            text += f"<small>{' / '.join(self.score(value) for _metric, value in cell.others)}</small>"
        if self.style.intervals and cell.low is not None and cell.high is not None:
            text += f"<small>{self.span(cell.low, cell.high)}</small>"
        return f"<td data-v={cell.value * 1e5:.0f}>{text}</td>"


def _rank(row: Row) -> str:
    rank = row.rank
    if rank is None:
        return DASH
    return f"{rank.rank} <small>({rank.low}{DASH}{rank.high})</small>" if rank.low != rank.high else f"{rank.rank}"


def _sortable(value: float | None) -> str:
    return "" if value is None else f' data-v="{value:.10g}"'
