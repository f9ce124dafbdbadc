"""The Pareto frontier: what is left when everything that something else beats on all counts is struck out."""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import LEVEL

BLOCK = 200
"""Points compared with all others at a time: pairs of thousands one by one would take minutes."""


def on_frontier(points: Sequence[Sequence[float]]) -> list[bool]:
    """Whether each point stays: unless another is at least as good on every count and better on one; more is better.

    >>> on_frontier([(0.7, 100, -2.0), (0.6, 100, -2.0), (0.6, 90, -1.5)])
    [True, False, True]
    """
    found = np.array(points, float)
    return [not one for start in range(0, len(found), BLOCK) for one in _beaten(found[start : start + BLOCK], found)]


def _beaten(some: Floats, others: Floats) -> list[bool]:
    """Which points some other is as good as on all counts, and better than on one."""
    gaps = others - some[:, np.newaxis]
    return _better(gaps, np.zeros_like(gaps))


def _better(gaps: Floats, reach: Floats) -> list[bool]:
    """By (points, others, counts): whether some other reaches so far on all counts, and farther on one."""
    found = np.all(gaps >= reach, axis=2) & np.any(gaps > reach, axis=2)
    return [bool(one) for one in np.any(found, axis=1)]


RangedValue = tuple[float, float | None, float | None]
"""A value with the ends of its interval: both the value itself where it is exact, None where nothing is known of its error."""
ON, OPEN, BEATEN = "on", "open", "beaten"
"""Nobody is better by the values; somebody is, but the intervals do not tell; somebody certainly is."""


def memberships(points: Sequence[Sequence[RangedValue]]) -> list[str]:
    """Where each point stands; more is better. Nobody is beaten by less than the intervals tell, of so many comparisons.

    A difference is judged as ranks judge those of reported scores: by both intervals together, as if they were independent, each of a
    point's comparisons with an equal share of its 5 % chance to err.

    >>> first, near, far, told = (0.7, 0.6, 0.8), (0.6, 0.5, 0.65), (0.4, 0.3, 0.5), (0.1, None, None)
    >>> memberships([[first, (9, 9, 9)], [near, (8, 8, 8)], [far, (8, 8, 8)], [told, (7, 7, 7)]])
    ['on', 'open', 'beaten', 'open']
    """
    if not points:
        return []
    values, low, high = np.moveaxis(np.array(points, float), 2, 0)
    wider = _z(1 - (1 - LEVEL) / max(len(points) - 1, 1)) / _z(LEVEL)
    blocks = [slice(start, start + BLOCK) for start in range(0, len(values), BLOCK)]
    beaten = [one for some in blocks for one in _surely_beaten(some, values, values - low, high - values, wider)]
    on = on_frontier(values.tolist())
    return [ON if stays else BEATEN if sure else OPEN for stays, sure in zip(on, beaten, strict=True)]


def _surely_beaten(some: slice, values: Floats, below: Floats, above: Floats, wider: float) -> list[bool]:
    """Which points some other is certainly as good as on all counts, and certainly better than on one; nobody of unknown error is."""
    gaps = values - values[some, np.newaxis]
    reach = wider * np.hypot(below, above[some, np.newaxis])
    return _better(gaps, np.asarray(reach))


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """At least as good on every count, and better on one.

    >>> beats((2, 2), (2, 1)), beats((2, 2), (2, 2)), beats((3, 1), (2, 2))
    (True, False, False)
    """
    return all(a >= b for a, b in zip(one, other, strict=True)) and any(a > b for a, b in zip(one, other, strict=True))
