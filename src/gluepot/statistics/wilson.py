"""Wilson's interval of a proportion, for shares reported with their number of items."""

from math import sqrt
from statistics import NormalDist
from typing import TypeVar

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import LEVEL

N = TypeVar("N", float, Floats)


def wilson_interval(share: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Compute the Wilson score interval of a share of `n` items (Wilson 1927).

    >>> [round(end, 4) for end in wilson_interval(0.8, 100)]
    [0.7112, 0.8666]
    >>> [round(end, 4) for end in wilson_interval(1.0, 10)]
    [0.7225, 1.0]
    """
    if n < 1 or not 0 <= share <= 1:
        raise ValueError(f"no share of items: {share} of {n}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach))


def standard_error(low: N, high: N, level: float = LEVEL) -> N:
    """Return the standard error of a normal distribution with this interval.

    >>> round(standard_error(0.5 - 0.0196, 0.5 + 0.0196), 4)
    0.01
    """
    return (high - low) / (2 * NormalDist().inv_cdf((1 + level) / 2))
