"""Spearman's ρ with tied ranks, for many weightings of the items at once."""

from collections.abc import Sequence

import numpy as np

from gluepot.metrics.interval import correlation
from gluepot.metrics.sample import Floats


class MidRanks:
    """The mid-rank of each item when item i occurs weights[i] times: one running sum over the sorted items."""

    def __init__(self, values: Floats) -> None:
        self.order = np.argsort(values, kind="stable")
        ordered = values[self.order]
        self.starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        tie = np.cumsum(np.r_[True, ordered[1:] != ordered[:-1]]) - 1
        self.tie = np.empty_like(tie)
        self.tie[self.order] = tie

    def __call__(self, weights: Floats) -> Floats:
        in_tie = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        before = np.cumsum(in_tie, axis=1) - in_tie
        ranks: Floats = (before + (in_tie + 1) / 2)[:, self.tie]
        return ranks


class Spearman:
    """
    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["spearman"]([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.8
    >>> METRICS["spearman"]([1, 2, 3], [5, 5, 5])  # a constant has no order
    nan
    """

    def __init__(self, gold: Sequence[float], predicted: Sequence[float]) -> None:
        g, p = np.asarray(gold, float), np.asarray(predicted, float)
        self.gold, self.predicted = MidRanks(g), MidRanks(p)
        self.counts, self.inverse = np.ones(len(g)), np.arange(len(g))

    def measure(self, weights: Floats) -> Floats:
        n = weights.sum(axis=1, keepdims=True)
        g, p = self.gold(weights) - (n + 1) / 2, self.predicted(weights) - (n + 1) / 2
        weighted = weights * g
        covariance = np.einsum("ij,ij->i", weighted, p)
        return correlation(covariance, np.einsum("ij,ij->i", weighted, g), np.einsum("ij,ij,ij->i", weights, p, p))
