"""Quantiles of replicates, equal to numpy's in a tenth of the time."""

import numpy as np

from gluepot.metrics.sample import Floats


def quantile(values: Floats, share: float) -> float:
    """Compute the same value as `np.quantile` for one share of numbers without NaN.

    numpy's function searches its indices for duplicates, and imports masked arrays to do so, which takes 0.1 s the first time.

    >>> quantile(np.array([3.0, 1.0, 2.0, 4.0]), 0.5)
    2.5
    """
    place = (len(values) - 1) * share
    below = int(place)
    above = min(below + 1, len(values) - 1)
    parted = np.partition(values, (below, above))
    low, high, step = float(parted[below]), float(parted[above]), place - below
    return high - (high - low) * (1 - step) if step >= 0.5 else low + (high - low) * step
