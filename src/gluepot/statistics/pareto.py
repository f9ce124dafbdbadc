"""The Pareto frontier: what is left when everything that something else beats on all counts is struck out."""

from collections.abc import Sequence


def on_frontier(points: Sequence[Sequence[float]]) -> list[bool]:
    """Whether each point stays: unless another is at least as good on every count and better on one; more is better.

    >>> on_frontier([(0.7, 100, -2.0), (0.6, 100, -2.0), (0.6, 90, -1.5)])
    [True, False, True]
    """
    return [not any(beats(other, point) for other in points) for point in points]


Ranged = tuple[float, float | None, float | None]
"""A value with the ends of its interval: both the value itself where it is exact, None where nothing is known of its error."""
ON, OPEN, BEATEN = "on", "open", "beaten"
"""Nobody is better by the values; somebody is, but the intervals do not tell; somebody certainly is."""


def memberships(points: Sequence[Sequence[Ranged]]) -> list[str]:
    """Where each point stands; more is better. Nobody is beaten by less than the intervals tell.

    >>> first, near, far, told = (0.7, 0.6, 0.8), (0.6, 0.5, 0.65), (0.4, 0.3, 0.5), (0.1, None, None)
    >>> memberships([[first, (9, 9, 9)], [near, (8, 8, 8)], [far, (8, 8, 8)], [told, (7, 7, 7)]])
    ['on', 'open', 'beaten', 'open']
    """
    on = on_frontier([[value for value, _low, _high in point] for point in points])
    return [
        ON if stays else BEATEN if any(surely_beats(other, point) for other in points) else OPEN
        for point, stays in zip(points, on, strict=True)
    ]


def surely_beats(one: Sequence[Ranged], other: Sequence[Ranged]) -> bool:
    """Certainly at least as good on every count, and certainly better on one."""
    pairs = list(zip(one, other, strict=True))
    return all(_surely(a, b, strictly=False) for a, b in pairs) and any(_surely(a, b, strictly=True) for a, b in pairs)


def _surely(one: Ranged, other: Ranged, *, strictly: bool) -> bool:
    low, high = one[1], other[2]
    return low is not None and high is not None and (low > high if strictly else low >= high)


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """At least as good on every count, and better on one.

    >>> beats((2, 2), (2, 1)), beats((2, 2), (2, 2)), beats((3, 1), (2, 2))
    (True, False, False)
    """
    return all(a >= b for a, b in zip(one, other, strict=True)) and any(a > b for a, b in zip(one, other, strict=True))
