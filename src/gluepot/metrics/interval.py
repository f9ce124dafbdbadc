"""Metrics of numbers that need only weighted sums: Krippendorff's interval α and Pearson's r."""

from collections.abc import Sequence

import numpy as np

from gluepot.metrics.sample import Floats


class NumberPairs:
    """Gold and predicted numbers about their common mean, which keeps the sums of squares exact."""

    def __init__(self, gold: Sequence[float], predicted: Sequence[float]) -> None:
        g, p = np.asarray(gold, float), np.asarray(predicted, float)
        centre = (g.mean() + p.mean()) / 2
        self.gold, self.predicted = g - centre, p - centre
        self.counts, self.inverse = np.ones(len(g)), np.arange(len(g))
        self.columns = np.stack([np.ones(len(g)), self.gold, self.predicted, self.gold**2, self.predicted**2])

    def sums(self, weights: Floats) -> Floats:
        """n, Σg, Σp, Σg², Σp² for each weighting, (5, b)."""
        return self.columns @ weights.T


class AlphaInterval(NumberPairs):
    """α = 1 − Do/De with Do = Σ(g−p)² / n and De = 2·Σ(x−x̄)² / (N−1) over the N = 2n pooled values.

    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["alpha-interval"]([1, 2, 3, 4], [1, 2, 3, 5]), 6)
    0.936937
    """

    def measure(self, weights: Floats) -> Floats:
        n, g, p, gg, pp = self.sums(weights)
        observed = weights @ (self.gold - self.predicted) ** 2 / n
        expected = 2 * (gg + pp - (g + p) ** 2 / (2 * n)) / (2 * n - 1)
        return 1 - np.divide(observed, expected, out=np.zeros_like(n), where=observed > 0)


class Pearson(NumberPairs):
    """
    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["pearson"]([1, 2, 3, 4], [1, 2, 3, 5]), 6)
    0.982708
    """

    def __init__(self, gold: Sequence[float], predicted: Sequence[float]) -> None:
        g, p = np.asarray(gold, float), np.asarray(predicted, float)
        super().__init__(g - g.mean(), p - p.mean())

    def measure(self, weights: Floats) -> Floats:
        n, g, p, gg, pp = self.sums(weights)
        covariance = weights @ (self.gold * self.predicted) - g * p / n
        return correlation(covariance, _variance(gg, g, n), _variance(pp, p, n))


def _variance(squares: Floats, total: Floats, n: Floats) -> Floats:
    """n times the variance; 0 where what is left of the squares is their rounding."""
    variance = squares - total**2 / n
    return np.where(variance > 1e-12 * squares, variance, 0.0)


def correlation(covariance: Floats, gold: Floats, predicted: Floats) -> Floats:
    """Covariance over the root of both variances; NaN where one side is constant."""
    spread = np.sqrt(gold * predicted)
    return np.divide(covariance, spread, out=np.full_like(spread, np.nan), where=spread > 0)
