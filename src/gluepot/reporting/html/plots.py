"""The score plot: a table with a drawing in each row. Widths are percentages, so that it fits any screen at the same text size."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from gluepot.plurals import pluralize
from gluepot.reporting.findings.headline import PublishedComparison
from gluepot.reporting.findings.leaders import TaskLeader
from gluepot.reporting.html.markup import Html, el, number, score, span
from gluepot.reporting.marks import Key, mark, wrong_mark
from gluepot.reporting.scores import OVERALL, Mark, ReportCell, ReportRow

TRACK, REPORTED, EDGE, LEAST = 18, 14, 6, 46
"""Heights in pixels: a system's line, published values, the space above and below, and the minimum of a row, two lines of text."""
LEFT, RIGHT = 2.0, 98.0


class ForestAxis:
    """Maps values to places in per cent of the width; values below −1 are placed on the edge."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low = max(-1.0, min(0.0, floor(min(values, default=0.0) * 5) / 5))
        self.high = 1.0

    def place(self, value: float) -> str:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{LEFT + share * (RIGHT - LEFT):.2f}%"

    def ticks(self) -> list[float]:
        """Return ticks in steps from the upper end, so that they include zero and one.

        >>> ForestAxis([0.3]).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        step = 0.2 if self.low > -1 else 0.5
        count = int((self.high - self.low) / step + 1e-9)
        return [round(self.high - step * k, 1) for k in range(count, -1, -1)]


@dataclass(frozen=True)
class Findings:
    """Outcome of the comparisons on each task."""

    leaders: dict[str, TaskLeader]
    published: dict[str, PublishedComparison]

    def standing(self, task: str, place: int) -> str:
        """Return `best`, `tied`, or an empty string."""
        leader = self.leaders.get(task)
        if leader is None or not (leader.tied or leader.behind):
            return ""
        return "best" if place == leader.best else "tied" if place in leader.tied else ""

    def describe(self, task: str, keys: Sequence[Key]) -> Html | None:
        """Name the systems that are significantly behind the best, or the position of the only system among the published ones."""
        if found := self.published.get(task):
            return _among_published(found)
        leader = self.leaders.get(task)
        if leader is None or not (leader.tied or leader.behind):
            return None
        if not leader.behind:
            return el("span", "cannot tell")
        return el("b", f"{', '.join(keys[one].letter for one in leader.behind)} behind {keys[leader.best].letter}")


def _among_published(found: PublishedComparison) -> Html:
    if found.good:
        return el("b", f"above {found.below} of {found.published} published")
    if found.bad:
        return el("b", f"below {found.above} of {found.published} published")
    return el("span", f"among {found.published} published")


def score_plot(rows: Sequence[ReportRow], keys: Sequence[Key], findings: Findings, title: str) -> Html:
    """Plot one row per task and one line per system, with the majority answer and published values as ticks."""
    axis = ForestAxis([value for row in rows for value in _values(row)])
    told = [findings.describe(row.task, keys) for row in rows]
    head = [
        el("th", "Task", scope="col"),
        el("th", el("span", "Interval", class_="hidden"), draw_scale(axis), scope="col", class_="track"),
        el("th", "Score × 100", scope="col"),
        *[el("th", "Finding", scope="col")] * any(told),
    ]
    body = [_row(row, keys, axis, findings, finding, any(told)) for row, finding in zip(rows, told, strict=True)]
    caption = el("caption", el("span", title, class_="hidden"))
    return el("table", caption, el("thead", el("tr", *head)), el("tbody", *body), class_="forest")


def _row(row: ReportRow, keys: Sequence[Key], axis: ForestAxis, findings: Findings, finding: Html | None, wide: bool) -> Html:
    shown = _shown(row, keys)
    lines = [_line(key, cell, findings.standing(row.task, place)) for place, key, cell in shown]
    return el(
        "tr",
        el("th", *_label(row), scope="row"),
        el("td", draw_row(row, keys, axis)[0], class_="track"),
        el("td", *lines, class_="lines"),
        *[el("td", finding, class_="finding")] * wide,
        class_="overall" if row.task == OVERALL else None,
    )


def _shown(row: ReportRow, keys: Sequence[Key]) -> list[tuple[int, Key, ReportCell]]:
    """Return the systems that have a score, with their positions."""
    both = enumerate(zip(keys, row.cells, strict=True))
    return [(place, key, cell) for place, (key, cell) in both if cell is not None and cell.value is not None]


def _label(row: ReportRow) -> tuple[Html, Html]:
    """Return the task in plain words, and the name of its data with the number of items."""
    sizes = sorted({cell.n for cell in row.cells if cell and cell.value is not None})
    counts = " or ".join([*(f"{n:,}" for n in sizes[:-1]), pluralize(sizes[-1], "task" if row.task == OVERALL else "item")])
    if row.task == OVERALL:
        return el("b", "Overall"), el("small", f"mean of {counts}")
    data = [] if row.label in ("", row.title) else [row.title]
    return el("span", row.label or row.title), el("small", " · ".join([*data, counts]), title=row.metric)


def _line(key: Key, cell: ReportCell, standing: str) -> Html:
    """Return letter, score and interval of a system; shaded if it is the best or tied with it."""
    value = score(cell.value)
    hint = {"best": "the best", "tied": "cannot be told apart from the best"}.get(standing)
    return el(
        "span",
        el("i", key.letter) if key.letter else None,
        el("b", value) if standing == "best" else el("span", value),
        el("small", span(cell.low, cell.high)),
        el("span", f" ({hint})", class_="hidden") if hint else None,
        class_="line tie" if standing else "line",
        title=f"{key.full_name}: {hint}" if hint else key.full_name,
    )


def draw_scale(axis: ForestAxis) -> Html:
    """Draw the numbers above the drawings."""
    ticks = [
        el(
            "text",
            number(100 * value, 0),
            x=axis.place(value),
            y=14,
            text_anchor="middle",
            class_="tick odd" if round(5 * value) % 2 else "tick",
        )
        for value in axis.ticks()
    ]
    return el("svg", *ticks, class_="axis", width="100%", height=20, aria_hidden="true")


def _values(row: ReportRow) -> list[float]:
    ours = [value for cell in row.cells if cell for value in (cell.value, cell.low) if value is not None]
    return ours + [one.value for one in row.reported]


def draw_row(row: ReportRow, keys: Sequence[Key], axis: ForestAxis) -> tuple[Html, int]:
    """Return the drawing of a task, and its height."""
    shown = [(key, cell) for _, key, cell in _shown(row, keys)]
    reported = REPORTED if row.reported else 0
    height = max(LEAST, 2 * EDGE + TRACK * max(len(shown), 1) + reported)
    top, bottom = (height - reported - TRACK * len(shown)) // 2, height - EDGE - REPORTED // 2
    grid = [_grid_line(axis, value, height) for value in axis.ticks()]
    tracks = [_track(axis, key, cell, top + TRACK * n + TRACK // 2, height) for n, (key, cell) in enumerate(shown)]
    text = "; ".join(f"{key.full_name} {score(cell.value)}" for key, cell in shown)
    marks = [_reported(axis, one, bottom) for one in row.reported]
    title = el("title", f"{row.label or row.title}: {text}")
    return el("svg", title, *grid, *tracks, *marks, role="img", class_="plot", width="100%", height=height), height


def _grid_line(axis: ForestAxis, value: float, bottom: int) -> Html:
    x = axis.place(value)
    return el("line", x1=x, x2=x, y1=0, y2=bottom, class_="zero" if value == 0 else "grid")


def _track(axis: ForestAxis, key: Key, cell: ReportCell, y: int, height: int) -> Html:
    value = cell.value or 0.0
    text = el("title", f"{key.full_name}: {score(value)} ({span(cell.low, cell.high) or 'no interval'})")
    if key.majority:
        x = axis.place(value)
        return el("g", text, el("line", x1=x, x2=x, y1=EDGE, y2=height - EDGE, class_="majority"))
    line = None
    if cell.low is not None and cell.high is not None:
        line = el("line", x1=axis.place(cell.low), x2=axis.place(cell.high), y1=y, y2=y, class_=f"whisker {key.tone}")
    return el("g", text, line, mark(key, x=axis.place(value), y=y))


def _reported(axis: ForestAxis, one: Mark, y: int) -> Html:
    x, wrong = axis.place(one.value), f". Known to be wrong: {one.wrong}" if one.wrong else ""
    text = el("title", f"{one.model}: {score(one.value)}, published in {one.source}{wrong}")
    return el("g", text, wrong_mark(x=x, y=y) if one.wrong else el("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="reported"))
