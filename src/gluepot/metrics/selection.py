"""Pseudo-α: agreement measures for the selection of one of several candidates."""

from collections.abc import Hashable, Sequence

import numpy as np

from gluepot.metrics.sample import Floats, Means, PseudoCount, Sample, Unseen, distinct_rows


class PseudoAlpha(Means):
    """Accuracy corrected for a fixed chance level, as published by the suite.

    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["pseudo-alpha"]([0, 1, 2, 3, 4], [0, 1, 2, 3, 0], chance=[1, 5]), 6)
    0.75
    """

    def __init__(self, gold: Sequence[Hashable], predicted: Sequence[Hashable], chance: float | Sequence[float] = 0.0) -> None:
        super().__init__([float(g == p) for g, p in zip(gold, predicted, strict=True)])
        self.chance = chance if isinstance(chance, float | int) else chance[0] / chance[1]

    def _measure(self, weights: Floats) -> Floats:
        corrected: Floats = (super()._measure(weights) - self.chance) / (1 - self.chance)
        return corrected


class PseudoAlphaRecast(Sample):
    """Nominal α over all candidates, each accepted or not: 1 − (1−accuracy)(2K−1) / (2(K−n)), for K candidates in total.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["pseudo-alpha-recast"]([0, 1], [0, 0], options=[2, 2])
    0.125
    """

    def __init__(self, gold: Sequence[int], predicted: Sequence[int], options: Sequence[int]) -> None:
        right = [float(g == p) for g, p in zip(gold, predicted, strict=True)]
        seen, self.inverse, counts = distinct_rows(right, options)
        sizes = np.array(sorted(set(seen[:, 1].tolist())))
        self.possible = np.stack([np.repeat([0.0, 1.0], len(sizes)), np.tile(sizes, 2)], axis=1)
        self.rows = np.concatenate([seen, self.possible])
        self.counts = np.concatenate([counts, np.zeros(len(self.possible))])

    def unseen(self) -> Unseen:
        """Return right and wrong items with any number of candidates that occurs."""
        wrong, right = np.split(np.arange(len(self.rows))[-len(self.possible) :], 2)
        return Unseen([PseudoCount(right)], [PseudoCount(wrong)])

    def _measure(self, weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        right, candidates = (weights @ self.rows).T
        missed = weights @ (1 - self.rows[:, 0])
        wrong = np.where(missed > 0, 1 - right / n, 0.0)
        spare = 2 * (weights @ (self.rows[:, 1] - 1))
        no_choice = np.where(wrong > 0, np.nan, 0.0)
        return 1 - np.divide(wrong * (2 * candidates - 1), spare, out=no_choice, where=spare > 0)
