"""Power analysis: the smallest difference that a test set can detect."""

from math import nan, sqrt
from statistics import NormalDist

import numpy as np

from gluepot.metrics.sample import Floats

LEVEL, POWER = 0.05, 0.8


def _reach(level: float, power: float) -> float:
    return NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)


def detectable_accuracy(n: int, disagreement: float = 0.2, level: float = LEVEL, power: float = POWER) -> float:
    """Compute the smallest difference in accuracy that a paired test on `n` items detects with the given power.

    `disagreement` is the share of items that exactly one of the two systems gets right. Miettinen's formula for
    McNemar's test, solved for the difference; NaN where `n` is too small to find even the largest possible one.

    >>> round(detectable_accuracy(140), 3)
    0.105
    >>> detectable_accuracy(140) > detectable_accuracy(9815)
    True
    """
    z_level, z_power = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)

    def found(gap: float) -> bool:
        return n * gap**2 >= (z_level * sqrt(disagreement) + z_power * sqrt(max(disagreement - gap**2, 0))) ** 2

    low, high = 0.0, disagreement
    for _ in range(60):
        gap = (low + high) / 2
        low, high = (low, gap) if found(gap) else (gap, high)
    return high if found(high) else nan


def detectable_difference(replicates_a: Floats, replicates_b: Floats, level: float = LEVEL, power: float = POWER) -> float:
    """Compute the smallest detectable difference of any metric from paired bootstrap replicates of two systems."""
    return _reach(level, power) * float(np.nanstd(replicates_a - replicates_b, ddof=1))
