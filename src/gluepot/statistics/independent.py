"""Difference of two scores from their intervals alone, as if measured on different items."""

from math import erfc, hypot, sqrt
from statistics import NormalDist
from typing import NamedTuple

from gluepot.statistics.bootstrap import LEVEL

POWER = 0.8


class BoundedScore(NamedTuple):
    """Score with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def difference_interval(a: BoundedScore, b: BoundedScore, level: float = LEVEL) -> tuple[float, float]:
    """Compute the interval of a difference by the square-and-add method (Newcombe 1998; Zou and Donner 2008); too wide for shared items.

    Newcombe's own example, 56 of 70 against 48 of 80:

    >>> from gluepot.statistics.wilson import wilson_interval
    >>> pair = [BoundedScore(k / n, *wilson_interval(k / n, n)) for k, n in ((56, 70), (48, 80))]
    >>> [round(end, 4) for end in difference_interval(*pair)]
    [0.0524, 0.3339]
    """
    wider, difference = _z(level), a.value - b.value
    return difference - wider * _below(a, b), difference + wider * _below(b, a)


def difference_p(a: BoundedScore, b: BoundedScore) -> float:
    """Compute the p-value of a difference: below 1 - level exactly if the interval of that level excludes zero.

    >>> round(difference_p(BoundedScore(0.9, 0.86, 0.93), BoundedScore(0.8, 0.75, 0.84)), 4)
    0.0005
    """
    difference = a.value - b.value
    spread = _below(a, b) if difference > 0 else _below(b, a)
    if not difference or not spread:
        return 0.0 if difference else 1.0
    return erfc(abs(difference) / spread / sqrt(2))


def detectable_difference(a: BoundedScore, b: BoundedScore) -> float:
    """Return the smallest true difference that is detected with a power of 80 %."""
    return (_z(LEVEL) + NormalDist().inv_cdf(POWER)) * (_below(a, b) + _below(b, a)) / 2


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def _below(a: BoundedScore, b: BoundedScore) -> float:
    """Return the standard error of the difference on the lower side."""
    return hypot(a.value - a.low, b.high - b.value) / _z(LEVEL)
