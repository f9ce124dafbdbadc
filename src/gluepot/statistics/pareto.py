"""The Pareto frontier: what is left when everything that something else beats on all counts is struck out."""

from collections.abc import Sequence


def on_frontier(points: Sequence[Sequence[float]]) -> list[bool]:
    """Whether each point stays: unless another is at least as good on every count and better on one; more is better.

    >>> on_frontier([(0.7, 100, -2.0), (0.6, 100, -2.0), (0.6, 90, -1.5)])
    [True, False, True]
    """
    return [not any(beats(other, point) for other in points) for point in points]


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """At least as good on every count, and better on one.

    >>> beats((2, 2), (2, 1)), beats((2, 2), (2, 2)), beats((3, 1), (2, 2))
    (True, False, False)
    """
    return all(a >= b for a, b in zip(one, other, strict=True)) and any(a > b for a, b in zip(one, other, strict=True))
