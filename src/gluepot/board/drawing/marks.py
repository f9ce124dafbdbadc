"""Small drawings in table rows: the interval of a rank, and a score with its interval on a common axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

SLOTS = 42
"""Width of a rank bar in pixels."""
KEPT, REACH, FEW = 0.75, 2.5, 6
"""Maximum share of systems that an axis covers, the best first, and how far it extends below the best, as a multiple of the median's
distance; the others are marked as off the axis. With fewer than FEW systems, the share is not limited."""
LEAST = 0.05
"""Minimum length of an axis: on a shorter one, tenths of a point look like a large difference."""

LEFTWARDS = "<path class=off d=M6,6v12L0,12z />"
RIGHTWARDS = "<svg x=100% overflow=visible><path class=off d=M-6,6v12L0,12z /></svg>"
"""Arrows at the ends of an axis."""


def draw_places(low: int | None, high: int | None, of: int, *, known: bool) -> str:
    """Draw a bar of all ranks with the possible ones marked; dashed where nothing is known.

    >>> draw_places(2, 4, 10, known=True).partition("track />")[2]
    '<rect x=4.2 y=1.5 width=12.6 height=4 rx=2 /></svg>'
    """
    if low is None or high is None or of < 2:
        return ""
    if not known:
        bar = f"<rect x=.5 y=1.5 width={SLOTS - 1} height=4 rx=2 class=unsure />"
        return f"<svg class=places width={SLOTS} height=7 aria-hidden=true>{bar}</svg>"
    start, width = round(SLOTS * (low - 1) / of, 1), round(max(SLOTS * (high - low + 1) / of, 3), 1)
    track = f"<rect y=3 width={SLOTS} height=1 class=track />"
    return (
        f"<svg class=places width={SLOTS} height=7 aria-hidden=true>{track}<rect x={start:g} y=1.5 width={width:g} height=4 rx=2 /></svg>"
    )


@dataclass(frozen=True)
class Axis:
    """Range of scores with round ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @property
    def digits(self) -> int:
        """Number of decimals that distinguishes the ticks when multiplied by 100.

        >>> Axis(0.4, 0.6, (0.4, 0.5)).digits, Axis(0.49, 0.51, (0.49, 0.495)).digits
        (0, 1)
        """
        steps = [after - tick for tick, after in pairwise(self.ticks)]
        return max(0, ceil(-log10(100 * min(steps, default=1.0)) - 1e-6))

    def at(self, value: float) -> float:
        """Return the position of a value in per cent, with room for a mark at both ends.

        >>> Axis(0.4, 0.6, ()).at(0.5)
        50.0
        """
        return round(3 + 94 * (value - self.low) / (self.high - self.low), 1)

    def draw(self, low: float | None, value: float, high: float | None) -> str:
        """Draw a dot with its interval, open where there is none, and an arrow where either extends beyond the axis.

        >>> Axis(0.4, 0.6, ()).draw(0.7, 0.8, 0.9)
        '<svg class=dot aria-hidden=true><svg x=100% overflow=visible><path class=off d=M-6,6v12L0,12z /></svg></svg>'
        >>> Axis(0.4, 0.6, ()).draw(0.5, 0.6, 0.9)  # doctest: +ELLIPSIS
        '<svg class=dot aria-hidden=true><line x1=50% x2=97% y1=12 y2=12 />...<circle cx=97% cy=12 r=4 /></svg>'
        """
        if value < self.low:
            return f"<svg class=dot aria-hidden=true>{LEFTWARDS}</svg>"
        if value > self.high:
            return f"<svg class=dot aria-hidden=true>{RIGHTWARDS}</svg>"
        middle = self.at(value)
        if low is None or high is None:
            return f"<svg class=dot aria-hidden=true><circle class=open cx={middle:g}% cy=12 r=4 /></svg>"
        ends = [self.at(min(max(end, self.low), self.high)) for end in (low, high)]
        line = f"<line x1={ends[0]:g}% x2={ends[1]:g}% y1=12 y2=12 />"
        arrows = (LEFTWARDS if low < self.low else "") + (RIGHTWARDS if high > self.high else "")
        return f"<svg class=dot aria-hidden=true>{line}{arrows}<circle cx={middle:g}% cy=12 r=4 /></svg>"


def make_axis(values: Sequence[float], ends: Sequence[float] = ()) -> Axis | None:
    """Return an axis for the best of these scores and the ends of their intervals; None if there are no scores.

    >>> axis = make_axis([0.55, 0.5, 0.45, 0.43, 0.42, 0.41, -0.9], [0.39, 0.58])
    >>> round(axis.low, 2), round(axis.high, 2), [round(tick, 2) for tick in axis.ticks]
    (0.39, 0.58, [0.4, 0.45, 0.5, 0.55])
    """
    if not values:
        return None
    best = _near(sorted(values, reverse=True))
    low, high = min(best), max(best)
    near = [end for end in ends if end >= low - max((high - low) / 4, 2 * LEAST)]
    low, high = min([low, *near]), max([high, *near])
    return _axis(*_stretched(low, high))


def widened(axis: Axis, low: float) -> Axis:
    """Return the axis extended down to `low`, if it does not reach that far."""
    return axis if low >= axis.low else _axis(low, axis.high)


def symmetric_axis(reach: float) -> Axis:
    """Return an axis for differences, centred on zero.

    >>> axis = symmetric_axis(0.12)
    >>> axis.at(0.0), [round(tick, 2) for tick in axis.ticks]
    (50.0, [-0.1, -0.05, 0.0, 0.05, 0.1])
    """
    reach = max(reach, LEAST)
    return _axis(-reach, reach)


def _stretched(low: float, high: float) -> tuple[float, float]:
    """Extend a range at both ends to a length of LEAST, but not above a score of 1.

    >>> [tuple(round(end, 3) for end in _stretched(*ends)) for ends in ((0.732, 0.738), (0.99, 0.99), (0.2, 0.6))]
    [(0.71, 0.76), (0.95, 1.0), (0.2, 0.6)]
    """
    lacking = LEAST - (high - low)
    if lacking <= 0:
        return low, high
    above = min(lacking / 2, max(0.0, 1 - high))
    return low - (lacking - above), high + above


def _axis(low: float, high: float) -> Axis:
    step = _step(high - low)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return Axis(low, high, tuple(number * step for number in range(first, last + 1)))


def _near(values: Sequence[float]) -> Sequence[float]:
    """Return the scores, given in descending order, without outliers that would compress all others.

    >>> _near([0.53, 0.52, 0.5, 0.48, 0.46, 0.19, 0.07, -0.12])
    [0.53, 0.52, 0.5, 0.48, 0.46]
    """
    first, median = values[0], values[len(values) // 2]
    kept = values if len(values) < FEW else values[: ceil(KEPT * len(values))]
    return [value for value in kept if first - value <= REACH * max(first - median, LEAST)]


def _step(width: float) -> float:
    """Return a round tick distance that divides a range into two to five parts.

    >>> [round(_step(width), 3) for width in (0.2, 0.07, 1.6, 0.98)]
    [0.05, 0.02, 0.5, 0.2]
    """
    plain = 10.0 ** floor(log10(width))
    return float(next(step for step in (plain * part for part in (0.2, 0.5, 1, 2, 5)) if width / step <= 5))
