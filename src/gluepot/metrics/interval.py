"""Metrics of numbers based on weighted sums: Krippendorff's interval α and Pearson's r.

Weighted sums are one matrix product for a thousand resamples, and exact enough wherever the numbers are of similar magnitude.
Where a resample leaves little but their rounding error (an outlier that was not drawn, numbers near the limits of a double), its
value is recomputed separately, with its own mean and scale.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gluepot.errors import GluepotError
from gluepot.metrics.sample import Floats, PseudoCount, Sample, Unseen

SMALL, LARGE = 2.0**-100, 2.0**100
"""Range in which the square of a number, and the product of two such sums, is far from the limits of a double."""
CANCELLED = 1e-3
"""Share of the sum of squares below which a variance has lost more than three digits."""
EQUAL = 1e-9
"""Tolerance for collinearity, for numbers of magnitude 1."""
VANISHED = 1e-100
"""Sums of squares so small relative to LARGE that some of their terms may have underflowed to zero."""


def as_numbers(values: Sequence[float]) -> Floats:
    """Return the values as doubles; raise `GluepotError` unless all are finite."""
    try:
        column = np.asarray(values, float)
    except OverflowError as error:
        raise GluepotError("a number is too large to be a finite double.") from error
    if not np.isfinite(column).all():
        raise GluepotError("not all of the numbers are finite.")
    return column


def scaled_below_one(*columns: Floats) -> list[Floats]:
    """Scale the columns by one power of two that brings the largest number below 1."""
    largest = max(float(np.abs(column).max()) for column in columns)
    return [np.ldexp(column, -int(np.frexp(largest)[1])) for column in columns]


def rescale_extremes(*columns: Floats) -> list[Floats]:
    """Return the columns unchanged, or scaled if their largest number is outside SMALL to LARGE."""
    largest = max(float(np.abs(column).max()) for column in columns)
    return list(columns) if largest == 0 or SMALL < largest < LARGE else scaled_below_one(*columns)


class Judgments(Sample):
    """Gold and predicted numbers, one row per item. If all agree, two possible rows that disagree are added: the quartiles, crossed."""

    def __init__(self, gold: Sequence[float], predicted: Sequence[float]) -> None:
        g, p = as_numbers(gold), as_numbers(predicted)
        self.inverse, self.agreed = np.arange(len(g)), self.agree(g, p)
        if self.agreed.all():
            low, high = (np.quantile(column, [0.25, 0.75], method="nearest") for column in (g, p))
            g, p = np.append(g, low), np.append(p, high[::-1])
        self.given = g, p
        self.counts = (np.arange(len(g)) < len(self.inverse)).astype(float)

    def agree(self, gold: Floats, predicted: Floats) -> NDArray[np.bool_]:
        """Return a mask of the items in perfect agreement according to the metric."""
        return gold == predicted

    def unseen(self) -> Unseen | None:
        """If most items agree exactly: an item that agrees, and one that disagrees like those seen, or like the quartiles."""
        if 2 * self.agreed.sum() < len(self.inverse):
            return None
        stray = np.flatnonzero(~self.agreed) if not self.agreed.all() else np.arange(len(self.inverse), len(self.counts))
        return Unseen([PseudoCount(np.flatnonzero(self.agreed))], [PseudoCount(stray)])


class NumberPairs(Judgments):
    """Numbers centred on their common mean, which keeps the sums of squares exact."""

    def __init__(self, gold: Sequence[float], predicted: Sequence[float]) -> None:
        super().__init__(gold, predicted)
        g, p = self.prepared()
        centre = (g.mean() + p.mean()) / 2
        self.gold, self.predicted = g - centre, p - centre
        self.columns = np.stack([np.ones(len(g)), self.gold, self.predicted, self.gold**2, self.predicted**2])

    def prepared(self) -> list[Floats]:
        """Return gold and predicted numbers of ordinary magnitude."""
        return rescale_extremes(*self.given)

    def sums(self, weights: Floats) -> Floats:
        """Return n, Σg, Σp, Σg², Σp² for each weighting, (5, b)."""
        return self.columns @ weights.T

    def _measure(self, weights: Floats) -> Floats:
        values, sure = self.measure_fast(weights)
        for row in np.flatnonzero(~sure):
            drawn = weights[row] > 0
            values[row] = self.measure_exactly(weights[row, drawn], *(column[drawn] for column in self.given))
        return values

    def measure_fast(self, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the values from sums, and a mask of the reliable ones."""
        raise NotImplementedError

    def measure_exactly(self, weights: Floats, gold: Floats, predicted: Floats) -> float:
        """Return the value of one weighting, from the numbers with positive weight."""
        raise NotImplementedError


class AlphaInterval(NumberPairs):
    """Krippendorff's interval α = 1 − Do/De, Do = Σ(g−p)² / n and De = 2·Σ(x−x̄)² / (N−1) over the N = 2n pooled values.

    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["alpha-interval"]([1, 2, 3, 4], [1, 2, 3, 5]), 6)
    0.936937
    >>> round(METRICS["alpha-interval"]([1, 2, 3, 4], [1e308] * 4), 6)  # any finite number has its true α
    -0.75
    """

    def measure_fast(self, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        n, g, p, gg, pp = self.sums(weights)
        observed = weights @ (self.gold - self.predicted) ** 2 / n
        spread = gg + pp - (g + p) ** 2 / (2 * n)
        sure = is_sure(spread, gg + pp)
        expected = 2 * spread / (2 * n - 1)
        return 1 - np.divide(observed, expected, out=np.zeros_like(n), where=sure), sure

    def measure_exactly(self, weights: Floats, gold: Floats, predicted: Floats) -> float:
        g, p = scaled_below_one(gold, predicted)
        n = weights.sum()
        observed = weights @ (g - p) ** 2 / n
        twice = np.concatenate([weights, weights])
        spread = twice @ deviations(twice, np.concatenate([g, p])) ** 2
        return float(1 - observed / (2 * spread / (2 * n - 1))) if observed > 0 else 1.0


class Pearson(NumberPairs):
    """Pearson's r.

    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["pearson"]([1, 2, 3, 4], [1, 2, 3, 5]), 6)
    0.982708
    """

    def agree(self, gold: Floats, predicted: Floats) -> NDArray[np.bool_]:
        """Return a mask of the items on one line."""
        g, p = (scaled_below_one(deviations(np.ones(len(column)), scaled_below_one(column)[0]))[0] for column in (gold, predicted))
        return np.abs(g * np.abs(p).max() - p * np.abs(g).max()) < EQUAL

    def prepared(self) -> list[Floats]:
        g, p = (rescale_extremes(column)[0] for column in self.given)
        return [g - g.mean(), p - p.mean()]

    def measure_fast(self, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        n, g, p, gg, pp = self.sums(weights)
        covariance = weights @ (self.gold * self.predicted) - g * p / n
        variances = gg - g**2 / n, pp - p**2 / n
        sure = is_sure(variances[0], gg) & is_sure(variances[1], pp)
        return correlation(covariance, *variances, sure), sure

    def measure_exactly(self, weights: Floats, gold: Floats, predicted: Floats) -> float:
        if (gold == gold[0]).all() or (predicted == predicted[0]).all():
            return float("nan")
        g, p = (deviations(weights, scaled_below_one(column)[0]) for column in (gold, predicted))
        spread = np.sqrt(weights @ g**2) * np.sqrt(weights @ p**2)
        return float(np.clip(weights @ (g * p) / spread, -1, 1))


def is_sure(spread: Floats, squares: Floats) -> NDArray[np.bool_]:
    """Return a mask of the sums of squares about the mean that exceed the rounding error of the squares."""
    return (spread > CANCELLED * squares) & (squares > VANISHED)


def deviations(weights: Floats, values: Floats) -> Floats:
    """Subtract the mean, twice: the first time it is only as exact as the last digit of the largest value."""
    about = values - weights @ values / weights.sum()
    return about - weights @ about / weights.sum()


def correlation(covariance: Floats, gold: Floats, predicted: Floats, defined: NDArray[np.bool_]) -> Floats:
    """Divide the covariance by the root of both variances; NaN where undefined."""
    spread = np.sqrt(np.where(defined, gold * predicted, 1.0))
    return np.where(defined, np.clip(covariance / spread, -1, 1), np.nan)
