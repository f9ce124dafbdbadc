"""The rows of the quality table. Their HTML is joined by hand: 500 rows of 20 cells took a template a second, and this 20 ms."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from urllib.parse import quote
from weakref import WeakKeyDictionary

import numpy as np
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from gluepot.board.server import addresses
from gluepot.board.standings.ranking import Bounds, Standing
from gluepot.board.standings.score_matrix import Facts, Field, Partial, TaskColumn, Values
from gluepot.board.templatetags.shown import DASH, MINUS, decimal, number, share, size
from gluepot.statistics.ranks import Rank

EMPTY = f"<td>{DASH}</td>"
TOLD = "<i>ʳ</i>"
"""The mark of a number that was only reported."""


@dataclass(frozen=True)
class ScoreCell:
    """A system's score on a task."""

    value: float
    low: float | None
    high: float | None
    verified: bool
    others: tuple[tuple[str, float], ...] = ()
    """The task's further metrics."""
    note: str = ""
    n: int | None = None
    """How many items were answered, where some may be left out."""
    coverage: float | None = None
    answered: float | None = None
    """The value over these alone."""
    ranked: bool = True
    """Whether enough were answered for it to count."""


@dataclass(frozen=True)
class SystemRow:
    """A system as the table shows it."""

    number: int
    """Its place in the field."""
    facts: Facts
    section: str
    rank: Rank | None
    overall: float | None
    low: float | None
    high: float | None
    covered: int
    reported: bool


def make_rows(field: Field, standing: Standing, bounds: Bounds, numbers: Sequence[int], section: str) -> list[SystemRow]:
    """The rows of the named systems, in their order; `bounds` are the ends of the overall intervals of all of them."""
    return [
        SystemRow(
            number=number,
            facts=field.systems[number],
            section=section,
            rank=standing.ranks.get(number),
            overall=known(standing.overall[number]),
            low=known(bounds.low[number]),
            high=known(bounds.high[number]),
            covered=int(standing.covered[number]),
            reported=bool(standing.reported[number]),
        )
        for number in numbers
    ]


def known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def column_cells(field: Field, column: TaskColumn, numbers: Sequence[int]) -> list[ScoreCell | None]:
    """One task's scores of the named systems; plain lists, because asking an array for one number at a time is slow."""
    first, *others = (field.entries[column.name, metric] for metric in column.metrics)
    chosen = list(numbers)
    values, low, high = (array[first, chosen].tolist() for array in (field.values, field.low, field.high))
    verified = field.verified[first, chosen].tolist()
    more = [field.values[entry, chosen].tolist() for entry in others]
    notes, partial = field.notes, field.partial
    cells = [
        None
        if value != value
        else ScoreCell(
            value,
            None if low[at] != low[at] else low[at],
            None if high[at] != high[at] else high[at],
            verified[at],
            tuple((metric, row[at]) for metric, row in zip(column.metrics[1:], more, strict=True) if row[at] == row[at]),
            notes.get((first, chosen[at]), ""),
        )
        for at, value in enumerate(values)
    ]
    if not column.skips:
        return cells
    keys = [(first, system) for system in chosen]
    return [_with_skips(cell, partial.get(key), notes.get(key, "")) for cell, key in zip(cells, keys, strict=True)]


def _with_skips(cell: ScoreCell | None, skips: Partial | None, note: str) -> ScoreCell | None:
    """A cell with what is known of items that were left out; one that does not rank is shown all the same."""
    if skips is None:
        return cell
    if cell is None and skips.unranked is not None:
        value, low, high, verified = skips.unranked
        return ScoreCell(value, low, high, verified, note=note, n=skips.n, coverage=skips.coverage, ranked=False)
    return cell and replace(cell, n=skips.n, coverage=skips.coverage, answered=skips.answered)


def best_values(field: Field, rows: Sequence[SystemRow], columns: Sequence[TaskColumn]) -> list[float | None]:
    """The best shown value of each column among systems, the overall one first: it is printed bold."""
    systems = [row.number for row in rows if row.facts.ranked]
    overall = [row.overall for row in rows if row.overall is not None and row.rank]
    entries = [field.entries[column.name, column.metrics[0]] for column in columns]
    return [max(overall, default=None), *(_largest(field.values[entry, systems]) for entry in entries)]


def _largest(values: Values) -> float | None:
    known_values = values[~np.isnan(values)]
    return float(known_values.max()) if len(known_values) else None


@dataclass(frozen=True)
class Style:
    """How rows are shown: with intervals or without, out of how many terms, under which aggregate."""

    terms: int
    intervals: bool
    aggregate: str


def render_rows(field: Field, rows: Sequence[SystemRow], columns: Sequence[TaskColumn], best: Sequence[float | None], style: Style) -> str:
    """The `<tr>`s. `data-v` holds what the browser sorts by, `data-t` what counts where several metrics do."""
    return Pen(field, columns, best, style).rows(rows)


_written: WeakKeyDictionary[Field, dict[tuple[str | None, bool], dict[str, list[str]]]] = WeakKeyDictionary()
"""The cells of a field that were written before, by language and whether they show intervals, then by task: nothing changes in them."""


class Pen:
    """Writes rows, with the words and marks of the visitor's language looked up once."""

    def __init__(self, field: Field, columns: Sequence[TaskColumn], best: Sequence[float | None], style: Style) -> None:
        self.field, self.columns, self.best, self.style = field, columns, best, style
        self.mark = decimal(0.5)[1]
        self.systems = addresses.system("")
        self.unranked = _("not ranked")
        self.badges = {"trivial": _("baseline"), "human": _("human")}

    def rows(self, rows: Sequence[SystemRow]) -> str:
        kept = _written.setdefault(self.field, {}).setdefault((get_language(), self.style.intervals), {})
        columns = [self._column(column, top, rows, kept) for column, top in zip(self.columns, self.best[1:], strict=True)]
        tails = map("".join, zip(*columns, strict=True)) if columns else [""] * len(rows)
        return "".join(f"{self.head(row)}{tail}</tr>\n" for row, tail in zip(rows, tails, strict=True))

    def _column(self, column: TaskColumn, best: float | None, rows: Sequence[SystemRow], kept: dict[str, list[str]]) -> list[str]:
        """The cells of one task; the best one is made bold in passing."""
        if column.name not in kept:
            everybody = range(len(self.field.systems))
            kept[column.name] = [EMPTY if cell is None else self.cell(cell, column) for cell in column_cells(self.field, column, everybody)]
        written = kept[column.name]
        values = self.field.values[self.field.entries[column.name, column.metrics[0]]]
        tops = set(np.flatnonzero(values == best).tolist()) if best is not None else set()
        return [_bold(written[row.number]) if row.number in tops else written[row.number] for row in rows]

    def score(self, value: float) -> str:
        """As the filter of the same name, without asking for the language each time."""
        text = f"{100 * value:.1f}"
        if text[0] == "-":
            text = text[1:] if text == "-0.0" else f"{MINUS}{text[1:]}"
        return text if self.mark == "." else text.replace(".", self.mark)

    def span(self, low: float, high: float) -> str:
        return f"{self.score(low)}{DASH if low >= 0 else ' … '}{self.score(high)}"

    def head(self, row: SystemRow) -> str:
        """A row's beginning: everything before the tasks."""
        facts, style = row.facts, self.style
        parts = [
            f'<tr data-o="{",".join(what for what, is_open in facts.open.items() if is_open)}"',
            f' data-l="{escape(",".join(facts.languages))}"',
            f' data-q="{escape(facts.team)}">' if facts.team else ">",
            '<td class="rank">',
            _rank(row),
            f'</td><th scope="row"><a href="{self.systems}{escape(quote(facts.slug))}">{escape(facts.name)}</a>{self.badge(row)}</th>',
            f'<td class="word">{escape(facts.family) or DASH}</td>',
            f"<td{_sortable(facts.parameters)}>{size(facts.parameters)}</td>",
            f"<td{_sortable(facts.data_size)}>{decimal(facts.data_size, 0)}</td>",
            self.overall(row),
            f'<td{"" if row.covered == style.terms else " class=part"} data-v="{row.covered}">{row.covered}/{style.terms}</td>',
        ]
        return "".join(parts)

    def badge(self, row: SystemRow) -> str:
        word = self.badges.get(row.facts.role)
        return f'<span class="badge">{word}</span>' if word else ""

    def overall(self, row: SystemRow) -> str:
        if row.overall is None:
            return '<td class="overall">–</td>'
        text = self.score(row.overall) if self.style.aggregate in ("mean", "min") else decimal(abs(row.overall), 2)
        text = f"<b>{text}</b>" if row.overall == self.best[0] else text
        text += TOLD if row.reported else ""
        if self.style.intervals and row.low is not None and row.high is not None:
            text += f"<small>{self.span(row.low, row.high)}</small>"
        return f'<td class="overall" data-v="{row.overall * 1e5:.0f}">{text}</td>'

    def cell(self, cell: ScoreCell, column: TaskColumn) -> str:
        text = f"{self.score(cell.value)}{'' if cell.verified else TOLD}"
        if cell.others:
            text += f"<small>{' / '.join(self.score(value) for _metric, value in cell.others)}</small>"
        if self.style.intervals and cell.low is not None and cell.high is not None:
            text += f"<small>{self.span(cell.low, cell.high)}</small>"
        if cell.n is not None and cell.coverage is not None:
            text += f"<small>n {number(cell.n)} · {share(cell.coverage)} %</small>"
        if not cell.ranked:
            return f"<td class=aside>{text}<small>{escape(self.unranked)}</small></td>"
        total = _total(cell, column) if column.counted else ""
        return f"<td data-v={cell.value * 1e5:.0f}{total}>{text}</td>"


def _total(cell: ScoreCell, column: TaskColumn) -> str:
    """The mean of the metrics that count; empty where one is missing."""
    values = {column.metrics[0]: cell.value, **dict(cell.others)}
    known_values = [values[metric] for metric in column.counted if metric in values]
    return f' data-t="{1e5 * sum(known_values) / len(known_values):.0f}"' if len(known_values) == len(column.counted) else ' data-t=""'


def _bold(cell: str) -> str:
    """The same cell with its number bold.

    >>> _bold("<td data-v=73512>73.5<small>71–76</small></td>")
    '<td data-v=73512><b>73.5</b><small>71–76</small></td>'
    """
    start, number, rest = re.split(r"(?<=>)([^<]+)(?=<)", cell, maxsplit=1)
    return f"{start}<b>{number}</b>{rest}"


def _rank(row: SystemRow) -> str:
    rank = row.rank
    if rank is None:
        return DASH
    return f"{rank.rank} <small>({rank.low}{DASH}{rank.high})</small>" if rank.low != rank.high else f"{rank.rank}"


def _sortable(value: float | None) -> str:
    return "" if value is None else f' data-v="{value:.10g}"'
