"""Pareto frontier: the points that no other point dominates."""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import LEVEL

BLOCK = 200
"""Points compared with all others at a time: thousands of pairs one by one would take minutes."""


def on_frontier(points: Sequence[Sequence[float]]) -> list[bool]:
    """Return whether each point is on the frontier, i.e. not dominated by another; higher is better.

    >>> on_frontier([(0.7, 100, -2.0), (0.6, 100, -2.0), (0.6, 90, -1.5)])
    [True, False, True]
    """
    found = np.array(points, float)
    return [not one for start in range(0, len(found), BLOCK) for one in _dominated(found[start : start + BLOCK], found)]


def _dominated(some: Floats, others: Floats) -> list[bool]:
    """Return whether each point is dominated by some other."""
    gaps = others - some[:, np.newaxis]
    return _better(gaps, np.zeros_like(gaps))


def _better(gaps: Floats, reach: Floats) -> list[bool]:
    """Return whether some other is ahead by `reach` in all criteria and by more in one, from arrays (points, others, criteria)."""
    found = np.all(gaps >= reach, axis=2) & np.any(gaps > reach, axis=2)
    return [bool(one) for one in np.any(found, axis=1)]


RangedValue = tuple[float, float | None, float | None]
"""Value with its interval: the bounds equal the value if it is exact, and are None if its error is unknown."""
ON, OPEN, BEATEN = "on", "open", "beaten"
"""Not dominated by the values; dominated, but not significantly; significantly dominated."""


def memberships(points: Sequence[Sequence[RangedValue]]) -> list[str]:
    """Classify each point as on the frontier, open, or beaten; higher is better.

    A point is beaten only by a significant difference, tested like those of reported scores in ranks: from both intervals, as if they
    were independent, with the 5 % error rate shared equally between a point's comparisons.

    >>> first, near, far, told = (0.7, 0.6, 0.8), (0.6, 0.5, 0.65), (0.4, 0.3, 0.5), (0.1, None, None)
    >>> memberships([[first, (9, 9, 9)], [near, (8, 8, 8)], [far, (8, 8, 8)], [told, (7, 7, 7)]])
    ['on', 'open', 'beaten', 'open']
    """
    if not points:
        return []
    values, low, high = np.moveaxis(np.array(points, float), 2, 0)
    wider = _z(1 - (1 - LEVEL) / max(len(points) - 1, 1)) / _z(LEVEL)
    blocks = [slice(start, start + BLOCK) for start in range(0, len(values), BLOCK)]
    beaten = [one for some in blocks for one in _significantly_dominated(some, values, values - low, high - values, wider)]
    on = on_frontier(values.tolist())
    return [ON if stays else BEATEN if sure else OPEN for stays, sure in zip(on, beaten, strict=True)]


def _significantly_dominated(some: slice, values: Floats, below: Floats, above: Floats, wider: float) -> list[bool]:
    """Return whether each point is significantly dominated by some other; points with unknown error are not."""
    gaps = values - values[some, np.newaxis]
    reach = wider * np.hypot(below, above[some, np.newaxis])
    return _better(gaps, np.asarray(reach))


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether one point dominates another: at least as good in every criterion, and better in one.

    >>> dominates((2, 2), (2, 1)), dominates((2, 2), (2, 2)), dominates((3, 1), (2, 2))
    (True, False, False)
    """
    return all(a >= b for a, b in zip(one, other, strict=True)) and any(a > b for a, b in zip(one, other, strict=True))
