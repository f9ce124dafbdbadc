"""Paired significance tests of two sets of predictions on the same items, with correction for multiple comparisons."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np

from gluepot.metrics.sample import Floats, Sample, value_of
from gluepot.statistics.bootstrap import LEVEL, RESAMPLES, interval, replicate_all


@dataclass(frozen=True)
class Comparison:
    """Difference `a − b` with its paired confidence interval and p-value."""

    difference: float
    low: float
    high: float
    p: float
    test: str


def mcnemar(better: int, worse: int) -> float:
    """Compute McNemar's exact two-sided p-value from the numbers of items that changed for the better and for the worse.

    >>> round(mcnemar(31, 12), 4)
    0.0054
    >>> mcnemar(0, 0)
    1.0
    """
    n, k = better + worse, min(better, worse)
    if n == 0:
        return 1.0
    tail = sum(exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2)) for i in range(k + 1))
    return min(1.0, 2 * tail)


def compare_right_wrong(a: Sequence[bool], b: Sequence[bool]) -> float:
    """Apply McNemar's exact test to two vectors of correct items."""
    right_a, right_b = np.asarray(a, bool), np.asarray(b, bool)
    return mcnemar(int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum()))


def paired_replicates(
    samples: Sequence[Sample],
    rng: np.random.Generator,
    groups: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
) -> Floats:
    """Compute the metrics of all samples on the same resamples of their common items, (samples, resamples)."""
    if any(len(sample.inverse) != len(samples[0].inverse) for sample in samples):
        raise ValueError("the sets of predictions do not cover the same items")
    return np.stack(replicate_all(samples, rng, groups, resamples))


def compare(
    a: Sample, b: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None = None, resamples: int = RESAMPLES
) -> Comparison:
    """Compare two samples by a paired bootstrap of the difference."""
    first, second = paired_replicates([a, b], rng, groups, resamples)
    bounds = interval(first - second, LEVEL) or (float("nan"), float("nan"))
    return Comparison(value_of(a) - value_of(b), *bounds, bootstrap_p(first - second)[0], "paired bootstrap")


def exceedances(differences: Floats) -> int:
    """Count the resamples at or beyond zero on the less frequent side; undefined differences are included.

    >>> exceedances(np.array([0.2, 0.1, -0.1, np.nan]))
    2
    """
    undefined = int(np.isnan(differences).sum())
    return undefined + int(min((differences <= 0).sum(), (differences >= 0).sum()))


def bootstrap_p(differences: Floats) -> tuple[float, bool]:
    """Return the two-sided bootstrap p-value, and whether it is an upper bound because there are no exceedances.

    >>> bootstrap_p(np.ones(999))
    (0.002, True)
    """
    beyond = exceedances(differences)
    return min(1.0, 2 * (beyond + 1) / (len(differences) + 1)), beyond == 0


def holm(p_values: Sequence[float]) -> list[float]:
    """Apply Holm's step-down correction to p-values, which controls the family-wise error rate.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, highest = [0.0] * len(p_values), 0.0
    for position, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - position)))
        corrected[index] = highest
    return corrected
