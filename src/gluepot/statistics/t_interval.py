"""Student's t intervals from a few replicates."""

from collections.abc import Sequence
from math import e, sqrt
from statistics import fmean, stdev

ITEMS = 1.0
"""Variance of the metric as a multiple of the variance between bootstrap resamples of items."""
DISTINCT_ITEMS = e - 1
"""The same if duplicates in a resample count once: a share of 1 − 1/e is left, drawn without replacement."""


def bootstrapped_mean(values: Sequence[float], variance: float = ITEMS, level: float = 0.95) -> tuple[float, float, float] | None:
    """Return the mean of a metric over a few bootstrap resamples, and its confidence interval at `level`.

    Each value is the metric on a resample of one test set, so their standard deviation s is already the standard error of
    the metric: ten resamples do not enlarge the test set. Their mean differs from the metric on the test set itself by a further
    s/√m. Hence mean ± t·s·√(`variance` + 1/m) with m − 1 degrees of freedom. None for fewer than two values.

    >>> mean, low, high = bootstrapped_mean([0.50, 0.52, 0.48, 0.51, 0.49])
    >>> round(mean, 3), round(low, 3), round(high, 3)
    (0.5, 0.452, 0.548)
    """
    m = len(values)
    if m < 2:
        return None
    from scipy.special import stdtrit

    mean, spread = fmean(values), stdev(values)
    half = float(stdtrit(m - 1, (1 + level) / 2)) * spread * sqrt(variance + 1 / m)
    return mean, mean - half, mean + half
