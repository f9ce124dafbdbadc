"""The score plot as SVG: widths are in per cent, so that it fits any screen and its text keeps its size."""

from collections.abc import Sequence
from math import floor

from gluepot.reporting.html.markup import Html, el, number, span
from gluepot.reporting.marks import Key, mark, wrong_mark
from gluepot.reporting.scores import Mark, ReportCell, ReportRow

LABEL, TRACK, REPORTED, GAP, AXIS = 20, 14, 14, 8, 22
"""Heights in pixels: a task's name, a system's line, reported values, the space below, the axis."""
LEFT, RIGHT = 2.0, 98.0


class ForestAxis:
    """Values to places in per cent of the width; what lies beyond −1 is put on the edge."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low = max(-1.0, min(0.0, floor(min(values, default=0.0) * 5) / 5))
        self.high = 1.0

    def place(self, value: float) -> str:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{LEFT + share * (RIGHT - LEFT):.2f}%"

    def ticks(self) -> list[float]:
        """From the upper end down, so that zero and one are among them.

        >>> ForestAxis([0.3]).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        step = 0.2 if self.low > -1 else 0.5
        count = int((self.high - self.low) / step + 1e-9)
        return [round(self.high - step * k, 1) for k in range(count, -1, -1)]


def score_plot(rows: Sequence[ReportRow], keys: Sequence[Key], title: str) -> Html:
    """Dots and whiskers: one row a task, one line a system; the majority answer and reported values as ticks."""
    axis = ForestAxis([value for row in rows for value in _values(row)])
    drawn, y = [], AXIS
    for row in rows:
        tracks = sum(_has_value(cell) and not key.majority for key, cell in zip(keys, row.cells, strict=True))
        height = LABEL + TRACK * max(tracks, 1) + (REPORTED if row.reported else 0) + GAP
        drawn.append(_row(row, keys, axis, y, height))
        y += height
    grid = [_grid_line(axis, value, y) for value in axis.ticks()]
    return el("svg", el("title", title), *grid, *drawn, role="img", class_="plot", width="100%", height=y + 2)


def _has_value(cell: ReportCell | None) -> bool:
    return cell is not None and cell.value is not None


def _values(row: ReportRow) -> list[float]:
    ours = [value for cell in row.cells if cell for value in (cell.value, cell.low) if value is not None]
    return ours + [one.value for one in row.reported]


def _grid_line(axis: ForestAxis, value: float, bottom: int) -> Html:
    x = axis.place(value)
    line = el("line", x1=x, x2=x, y1=AXIS - 6, y2=bottom, class_="zero" if value == 0 else "grid")
    return el("g", line, el("text", number(value, 1), x=x, y=AXIS - 9, text_anchor="middle", class_="tick"))


def _row(row: ReportRow, keys: Sequence[Key], axis: ForestAxis, top: int, height: int) -> Html:
    rule = el("line", x1=0, x2="100%", y1=top, y2=top, class_="rule")
    label = el("text", el("tspan", row.title, class_="name"), f" {row.metric}", x=0, y=top + 15, class_="label")
    parts, y = [rule, label], top + LABEL + TRACK // 2
    for key, cell in zip(keys, row.cells, strict=True):
        if cell is None or cell.value is None:
            continue
        if key.majority:
            parts.append(_majority(axis, cell.value, key, top, height))
        else:
            parts.append(_whisker(axis, cell.value, cell, key, y))
            y += TRACK
    bottom = top + height - GAP - REPORTED // 2
    return el("g", *parts, *(_reported(axis, one, bottom) for one in row.reported))


def _whisker(axis: ForestAxis, value: float, cell: ReportCell, key: Key, y: int) -> Html:
    text = el("title", f"{key.full_name}: {number(value)} ({span(cell.low, cell.high) or 'no interval'})")
    line = None
    if cell.low is not None and cell.high is not None:
        line = el("line", x1=axis.place(cell.low), x2=axis.place(cell.high), y1=y, y2=y, class_=f"whisker {key.tone}")
    return el("g", text, line, mark(key, x=axis.place(value), y=y))


def _majority(axis: ForestAxis, value: float, key: Key, top: int, height: int) -> Html:
    x = axis.place(value)
    line = el("line", x1=x, x2=x, y1=top + LABEL, y2=top + height - GAP + 2, class_="majority")
    return el("g", el("title", f"{key.full_name}: {number(value)}"), line)


def _reported(axis: ForestAxis, one: Mark, y: int) -> Html:
    x, wrong = axis.place(one.value), f". Known to be wrong: {one.wrong}" if one.wrong else ""
    text = el("title", f"{one.model}: {number(one.value)}, reported in {one.source}{wrong}")
    return el("g", text, wrong_mark(x=x, y=y) if one.wrong else el("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="reported"))
