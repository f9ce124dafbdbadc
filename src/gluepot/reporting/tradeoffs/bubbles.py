"""Bubble plots as SVG: two quantities as axes, a third as the area of a disc, intervals as whiskers, a stepped frontier."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil, floor, inf, log10, sqrt

from gluepot.reporting.html.markup import Html, el
from gluepot.statistics.pareto import ON

LEFT, RIGHT, TOP, BOTTOM = 66, 24, 18, 52
SMALLEST, ALIKE = 3.5, 7.0
"""Radii: of the smallest disc, and of discs without a size."""
WITHIN = 0.7
"""Share of a disc's width: a square of this size lies within it."""
Box = tuple[float, float, float, float]
LETTER = 6.6
"""Typical width of a letter in a label."""
MOST = 6
"""Approximate number of ticks on an axis."""


@dataclass(frozen=True)
class Frame:
    """Size of a plot, in the units of its text, and the class by which the page shows or hides it."""

    name: str
    width: int
    height: int
    largest: float
    """Radius of the largest disc."""

    @property
    def right(self) -> int:
        return self.width - RIGHT

    @property
    def floor(self) -> int:
        return self.height - BOTTOM


AHEAD = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Share of a label that lies before its anchor."""
FRAMES = (Frame("roomy", 820, 520, 34), Frame("slim", 360, 420, 24))
"""Every plot is drawn twice: a wide one scaled down would be unreadable on a phone."""


@dataclass(frozen=True)
class ErrorBar:
    """A value with its interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bubble:
    """One disc."""

    name: str
    address: str
    text: str
    """Full description in words."""
    x: ErrorBar
    y: ErrorBar
    size: float | None
    """Quantity that the area represents; without one, all discs are alike."""
    frontier: str
    """`on` the frontier, `open` or `beaten`."""


@dataclass(frozen=True)
class PlotAxis:
    """Quantity on an axis, and the format of its numbers."""

    title: str
    write: Callable[[float], str]
    logarithmic: bool = False
    less: bool = False
    """Whether lower is better."""
    room: float | None = None
    """Minimum margin at both ends; by default a fiftieth of the largest value."""
    steps: tuple[float, ...] = ()
    """Distances of ticks that are tried before round numbers, shortest first: the months of a year."""


class Scale:
    """Maps values to places on the page."""

    def __init__(self, axis: PlotAxis, values: Sequence[float], start: float, end: float) -> None:
        self.axis, self.start, self.end = axis, start, end
        low, high = min(values), max(values)
        if axis.logarithmic:
            self.low, self.high = log10(low) - 0.12, log10(high) + 0.12
        else:
            pad = max((high - low) * 0.12, abs(high) * 0.02 if axis.room is None else axis.room, 1e-6)
            self.low, self.high = low - pad, high + pad

    def __call__(self, value: float) -> float:
        inner = log10(max(value, 1e-9)) if self.axis.logarithmic else value
        place = self.start + (inner - self.low) / (self.high - self.low) * (self.end - self.start)
        return round(min(max(place, min(self.start, self.end)), max(self.start, self.end)), 1)

    def ticks(self) -> list[float]:
        """Return round numbers on the axis."""
        if not self.axis.logarithmic:
            step = next((step for step in self.axis.steps if (self.high - self.low) / step <= MOST), None)
            return _round_numbers(self.low, self.high) if step is None else _multiples(step, self.low, self.high)
        steps = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
        powers = range(floor(self.low), ceil(self.high) + 1)
        found = [step * 10.0**power for power in powers for step in steps if self.low <= log10(step * 10.0**power) <= self.high]
        return found if len(found) > 2 else [value for value in _round_numbers(10**self.low, 10**self.high) if value > 0]


def _round_numbers(low: float, high: float) -> list[float]:
    """Return about six round numbers.

    >>> _round_numbers(0.4, 11)
    [2.0, 4.0, 6.0, 8.0, 10.0]
    """
    rough = (high - low) / MOST
    unit = 10.0 ** floor(log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
    return _multiples(step, low, high)


def _multiples(step: float, low: float, high: float) -> list[float]:
    return [number * step for number in range(ceil(low / step), floor(high / step) + 1)]


def bubble_plot(bubbles: Sequence[Bubble], x: PlotAxis, y: PlotAxis, title: str, description: str) -> Html:
    """Return the plot, once for wide and once for narrow pages; discs with an address are links, for keyboards and screen readers."""
    return Html("".join(_plot(frame, bubbles, x, y, title, description) for frame in FRAMES))


def _plot(frame: Frame, bubbles: Sequence[Bubble], x: PlotAxis, y: PlotAxis, title: str, description: str) -> Html:
    across = Scale(x, _reached([bubble.x for bubble in bubbles], x), LEFT, frame.right)
    up = Scale(y, _reached([bubble.y for bubble in bubbles], y), frame.floor, TOP)
    ground = el("g", el("title", title), el("desc", description), *_axes(frame, across, up), _front(frame, bubbles, across, up), role="img")
    most = max(bubble.size or 0.0 for bubble in bubbles)
    by_size = sorted(bubbles, key=lambda bubble: -(bubble.size or 0.0))
    radii = {id(bubble): _radius(bubble.size, most, frame.largest) for bubble in bubbles}
    discs = [_disc(bubble, across(bubble.x.value), up(bubble.y.value), radii[id(bubble)], across, up) for bubble in by_size]
    lines = [*(box for bubble in bubbles for box in _whiskers(bubble, across, up)), *_between(_steps(frame, bubbles, across, up))]
    labels = _labels(frame, [(across(b.x.value), up(b.y.value), radii[id(b)], b.name) for b in bubbles], lines)
    return el("svg", ground, *discs, *labels, viewBox=f"0 0 {frame.width} {frame.height}", class_=f"plot {frame.name}")


def _reached(values: Sequence[ErrorBar], axis: PlotAxis) -> list[float]:
    every = [one for reach in values for one in (reach.value, reach.low, reach.high) if one is not None]
    return [one for one in every if one > 0] or [1.0] if axis.logarithmic else every


def _radius(size: float | None, most: float, largest: float) -> float:
    """Return the radius of a disc whose area represents the size."""
    if size is None:
        return ALIKE
    return round(max(SMALLEST, largest * sqrt(size / most)) if most > 0 else SMALLEST, 1)


def _axes(frame: Frame, across: Scale, up: Scale) -> list[Html]:
    floor_, left = frame.floor, LEFT
    parts = []
    for value in _readable(across):
        parts.append(el("line", x1=across(value), x2=across(value), y1=TOP, y2=floor_, class_="grid"))
        parts.append(el("text", across.axis.write(value), x=across(value), y=floor_ + 18, text_anchor="middle"))
    for value in up.ticks():
        parts.append(el("line", x1=left, x2=frame.right, y1=up(value), y2=up(value), class_="grid"))
        parts.append(el("text", up.axis.write(value), x=left - 8, y=up(value) + 4, text_anchor="end"))
    parts.append(el("text", across.axis.title, x=(LEFT + frame.right) / 2, y=frame.height - 10, text_anchor="middle", class_="title"))
    turn, middle = "rotate(-90)", (TOP + floor_) / 2
    parts.append(el("text", up.axis.title, x=-middle, y=14, transform=turn, text_anchor="middle", class_="title"))
    return parts


def _readable(across: Scale) -> list[float]:
    """Return the ticks of the lower axis, or every other one if their numbers would overlap."""
    ticks = across.ticks()
    longest = max((len(across.axis.write(tick)) for tick in ticks), default=0)
    near = min((abs(across(after) - across(tick)) for tick, after in pairwise(ticks)), default=inf)
    return ticks if near > LETTER * (longest + 1) else ticks[::2]


def _front(frame: Frame, bubbles: Sequence[Bubble], across: Scale, up: Scale) -> Html | None:
    """Draw the frontier as far as the two axes show it, in steps: nothing lies above it and on its better side."""
    steps = _steps(frame, bubbles, across, up)
    return el("path", d="M" + "L".join(f"{x} {y}" for x, y in steps), class_="front") if steps else None


def _steps(frame: Frame, bubbles: Sequence[Bubble], across: Scale, up: Scale) -> list[tuple[float, float]]:
    """Return the corners of the frontier's line."""
    sign = 1 if across.axis.less else -1
    corners: list[Bubble] = []
    for bubble in sorted((one for one in bubbles if one.frontier == ON), key=lambda one: (sign * one.x.value, -one.y.value)):
        if not corners or bubble.y.value > corners[-1].y.value:
            corners.append(bubble)
    heights = [float(frame.floor), *(up(corner.y.value) for corner in corners)]
    turns = [*(across(corner.x.value) for corner in corners), float(frame.right if across.axis.less else LEFT)]
    steps = [(x, y) for at, x in enumerate(turns) for y in (heights[at], *heights[at + 1 : at + 2])]
    return steps if corners else []


def _between(points: Sequence[tuple[float, float]]) -> list[Box]:
    """Return the lines from each point to the next: left, top, right, bottom.

    >>> _between([(1, 5), (1, 2), (4, 2)])
    [(1, 2, 1, 5), (1, 2, 4, 2)]
    """
    return [(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)) for (x1, y1), (x2, y2) in pairwise(points)]


def _whiskers(bubble: Bubble, across: Scale, up: Scale) -> list[Box]:
    """Return the known intervals of both axes: left, top, right, bottom."""
    x, y, found = across(bubble.x.value), up(bubble.y.value), []
    if bubble.x.low is not None and bubble.x.high is not None:
        found.append((across(bubble.x.low), y, across(bubble.x.high), y))
    if bubble.y.low is not None and bubble.y.high is not None:
        found.append((x, up(bubble.y.high), x, up(bubble.y.low)))
    return found


def _disc(bubble: Bubble, x: float, y: float, radius: float, across: Scale, up: Scale) -> Html:
    lines = [el("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="whisker") for x1, y1, x2, y2 in _whiskers(bubble, across, up)]
    disc = el("circle", cx=x, cy=y, r=radius, class_="disc" if bubble.frontier == ON else f"disc {bubble.frontier}")
    centre = el("circle", cx=x, cy=y, r=1.5, class_="centre")
    return el("a", el("title", bubble.text), *lines, disc, centre, href=bubble.address or None, aria_label=bubble.text)


def _labels(frame: Frame, places: Sequence[tuple[float, float, float, str]], lines: Sequence[Box]) -> list[Html]:
    """Place the names next to their discs, each where it hides least."""
    taken = [(x - radius, y - radius, x + radius, y + radius) for x, y, radius, _name in places]
    taken += [(left - 2, top - 2, right + 2, bottom + 2) for left, top, right, bottom in lines]
    made = []
    for own, (x, y, radius, name) in enumerate(places):
        width, gap, within = LETTER * len(name), radius + 4, WITHIN * radius
        others = [*taken[:own], (x - within, y - within, x + within, y + within), *taken[own + 1 :]]
        near = gap * 0.7
        spots = [("start", x + gap, y + 4), ("end", x - gap, y + 4), ("middle", x, y - gap - 2), ("middle", x, y + gap + 11)]
        spots += [spot for height in (y - gap, y + gap + 6) for spot in (("start", x + near, height), ("end", x - near, height))]
        anchor, side, foot = min(spots, key=partial(_hidden, frame, width, others))
        left = _left(frame, width, (anchor, side, foot))
        taken.append((left, foot - 11, left + width, foot + 3))
        side = left + AHEAD[anchor] * width
        made.append(el("text", name, x=round(side, 1), y=round(foot, 1), text_anchor=anchor, class_="label", aria_hidden="true"))
    return made


def _left(frame: Frame, width: float, spot: tuple[str, float, float]) -> float:
    """Return the left end of a label, moved as far as the page's edges require: a cut name is useless."""
    return max(2.0, min(spot[1] - AHEAD[spot[0]] * width, frame.width - 2 - width))


def _hidden(frame: Frame, width: float, taken: Sequence[Box], spot: tuple[str, float, float]) -> float:
    """Return how much a label covers, or exceeds the page."""
    left, top, bottom = _left(frame, width, spot), spot[2] - 11, spot[2] + 3
    right = left + width
    off = max(0, LEFT - left) + max(0, right - frame.width + 2) + max(0, TOP - top) + max(0, bottom - frame.floor)
    covered = 0.0
    for x1, y1, x2, y2 in taken:
        covered += max(0.0, min(right, x2) - max(left, x1)) * max(0.0, min(bottom, y2) - max(top, y1))
    return covered + 60 * off
