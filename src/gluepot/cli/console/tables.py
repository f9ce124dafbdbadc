"""Tables that fit the terminal: names are cut in the middle, columns are omitted from the right, and one line names those."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

from gluepot.cli.console.output import known_width
from gluepot.plurals import pluralize

if TYPE_CHECKING:
    from rich.console import Console

GAP = 2
"""Spaces between columns."""
PROSE, NAME, KEY = range(3)
"""Ranks of columns, in the order in which they are narrowed."""
LEAST_NAME, LEAST_PROSE = 16, 24
"""Narrower than this, names and prose are of little use: a column is omitted instead."""


@dataclass(frozen=True)
class TableColumn:
    """One column: figures are right-aligned and never cut, names are cut in the middle, prose is wrapped."""

    name: str
    figures: bool = False
    prose: bool = False
    least: int | None = None
    """Minimum number of characters to which the name of a column of figures is cut; by default it is not cut."""

    def floor(self, header: int, cells: Sequence[str]) -> int:
        """Return the minimum width of the column, given the width of its name, and its cells."""
        widest = max(map(_length, cells), default=0)
        if self.figures:
            return max(header if self.least is None else min(header, self.least), widest)
        return min(max(header, widest), LEAST_PROSE if self.prose else max(LEAST_NAME, min_distinct_length(cells)))


class Table:
    """Rows under named columns, of which the first `keys` are never omitted."""

    def __init__(self, *columns: TableColumn, keys: int = 1, header: bool = True, indent: int = 0) -> None:
        self.columns, self.keys, self.header, self.indent = columns, keys, header, " " * indent
        self.rows: list[tuple[tuple[str, ...], bool]] = []

    def add(self, *cells: str, bold: bool = False) -> None:
        assert len(cells) == len(self.columns)
        self.rows.append((tuple(" ".join(cell.split()) for cell in cells), bold))

    def print(self, screen: "Console", *, told_below: str = "") -> bool:
        """Print at the screen's width, or in full if it is unknown, as in a pipe; return whether the column `told_below` fits."""
        from rich.text import Text

        width = known_width(screen.file)
        widths = self.widths(width)
        for line, bold in self.lines(widths):
            screen.print(Text(line), style="bold" if bold else None, soft_wrap=True)
        gone = [column.name for column in self.columns[len(widths) :]]
        if named := [name for name in gone if name != told_below]:
            screen.print(Text(f"not shown in {pluralize(width or 0, 'column')}: {', '.join(named)}; --json has all"), style="dim")
        return told_below not in gone

    def lines(self, widths: list[int]) -> Iterator[tuple[str, bool]]:
        """Yield all lines, and whether each is bold."""
        header = ((tuple(column.name for column in self.columns), True),) * self.header
        for number, (cells, bold) in enumerate([*header, *self.rows]):
            for line in self._lines(cells, widths, header=self.header and not number):
                yield self.indent + line, bold

    def widths(self, width: int | None) -> list[int]:
        """Return the widths of the columns that are shown."""
        headers = [_length(column.name) if self.header else 0 for column in self.columns]
        cells = [[row[place] for row, _ in self.rows] for place in range(len(self.columns))]
        whole = [max([header, *map(_length, own)]) for header, own in zip(headers, cells, strict=True)]
        floors = [column.floor(header, own) for column, header, own in zip(self.columns, headers, cells, strict=True)]
        ranks = [KEY if place < self.keys else PROSE if column.prose else NAME for place, column in enumerate(self.columns)]
        figures = [column.figures for column in self.columns]
        return whole if width is None else fit(whole, floors, ranks, width - len(self.indent), figures)

    def _lines(self, cells: Sequence[str], widths: list[int], *, header: bool = False) -> list[str]:
        """Return the lines of one row: several if prose is wrapped."""
        parts = []
        for column, cell, width in zip(self.columns, cells, widths, strict=False):
            prose = column.prose and not header
            own = wrap(cell, width, break_on_hyphens=False) if prose else [shorten(cell, width)]
            parts.append([_padded(line, width, right=column.figures) for line in own or [" " * width]])
        blank = [" " * width for width in widths]
        lines = zip_longest(*parts)
        return [(" " * GAP).join(part if part is not None else blank[place] for place, part in enumerate(line)).rstrip() for line in lines]


def fit(whole: list[int], floors: list[int], ranks: list[int], width: int, figures: Sequence[bool] = ()) -> list[int]:
    """Return widths that fit into `width`: as many columns as fit at their minimum width, those of the lowest rank narrowed first.

    Columns of the highest rank are keys: they are never omitted and, if nothing else is left, narrowed further unless they are figures.

    >>> fit([23, 5, 40], [16, 5, 24], [KEY, NAME, PROSE], 60), fit([23, 5, 40], [16, 5, 24], [KEY, NAME, PROSE], 40)
    ([23, 5, 28], [23, 5])
    >>> fit([23, 5], [16, 5], [KEY, KEY], 12)
    [5, 5]
    """
    count = len(whole)
    while count > ranks.count(KEY) and _total(floors[:count]) > width:
        count -= 1
    widths = whole[:count]
    last = [floor if number else 1 for floor, number in zip_longest(floors, figures, fillvalue=False)]
    for rank, least in [(rank, floors) for rank in (PROSE, NAME, KEY)] + [(KEY, last)]:
        places = [place for place in range(count) if ranks[place] == rank]
        while (excess := _total(widths) - width) > 0 and (above := [place for place in places if widths[place] > least[place]]):
            widest = max(above, key=lambda place: widths[place])
            second = max((widths[place] for place in above if place != widest), default=0)
            widths[widest] = max(least[widest], min(second, widths[widest] - 1), widths[widest] - excess)
    return widths


def _total(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def shorten(text: str, width: int) -> str:
    """Cut a text in the middle, where names differ least.

    >>> shorten("classification-of-texts", 16), shorten("nli", 16), shorten("nli", 1)
    ('classifi…f-texts', 'nli', '…')
    """
    if _length(text) <= width:
        return text
    head = width // 2
    tail = width - 1 - head
    return f"{_first(text, head)}…{_first(text[::-1], tail)[::-1]}"


def min_distinct_length(names: Sequence[str], least: int = 8) -> int:
    """Return the minimum number of characters to which names can be cut and remain distinct.

    >>> min_distinct_length(["KB/bert-base", "KB/bert-large"]), min_distinct_length(["encoder-0-long", "encoder-1-long"])
    (8, 13)
    """
    different = set(names)
    longest = max(map(len, names), default=least)
    return next((width for width in range(least, longest) if len({shorten(name, width) for name in different}) == len(different)), longest)


def _first(text: str, width: int) -> str:
    """Return the first characters that fit into `width` cells."""
    end = min(len(text), width)
    while _length(text[:end]) > width:
        end -= 1
    return text[:end]


def _length(text: str) -> int:
    """Return the number of cells on the screen: some characters take two."""
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _length(text))
    return space + text if right else text + space
