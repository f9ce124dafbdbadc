"""Confidence interval of one score, which accounts for unseen items.

A percentile bootstrap repeats the items it has, so that a system without a mistake gets an interval of zero width. Here the weights
of the items follow a Dirichlet distribution (the Bayesian bootstrap) that includes unseen items: half an item that is right and half
an item that is wrong, which is Jeffreys' interval for a proportion; and, so that neither side is missed more than 4 times in 100, a
whole wrong item for the lower bound and a whole right item for the upper bound, which is Clopper and Pearson's.
docs/decisions/intervals.md has the measurements.
"""

from collections.abc import Hashable, Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from gluepot.metrics.sample import Floats, GroupedSums, PseudoCount, Sample, Unseen, encode, value_of
from gluepot.statistics.bootstrap import LEVEL, RESAMPLES, blocks
from gluepot.statistics.quantiles import quantile

ONE_SIDE = 0.04
"""Maximum error rate of one side."""
FEW = 5
"""Number of items in the widening of intervals of numbers, which are too narrow where sums of squares have long tails."""
FARTHEST = 0.25
"""Maximum bias correction in standard deviations: a larger one is not a bias but a value at the limit of its range."""
_NORMAL = NormalDist()
N = TypeVar("N", float, Floats)


def score_interval(
    sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None = None, draws: int = RESAMPLES, level: float = LEVEL
) -> tuple[float, float] | None:
    """Compute the interval of a metric; None if it is undefined on most draws, or if its spread is unknown.

    >>> from gluepot.metrics.sample import Means
    >>> low, high = score_interval(Means([1.0] * 50), np.random.default_rng(0))
    >>> 0.92 < low < 0.95, high  # a perfect score on 50 items
    (True, 1.0)
    """
    posterior, unseen = Posterior(sample, rng, groups), sample.unseen()
    tail = (1 - level) / 2
    if unseen is None:
        return _bias_corrected(value_of(sample), posterior.measure(draws), posterior.units, tail)
    neutral, careful, hopeful = posterior.measure_with_unseen(unseen, draws)
    ends = [_quantile(neutral, tail), _quantile(careful, ONE_SIDE), _quantile(neutral, 1 - tail), _quantile(hopeful, 1 - ONE_SIDE)]
    low, lower, high, higher = ends
    if low is None or lower is None or high is None or higher is None:
        return None
    value = value_of(sample)
    return min(low, lower, value), max(high, higher, value)


class Posterior:
    """Weightings of a sample's rows: Dirichlet over items, or over groups with all their items."""

    def __init__(self, sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None) -> None:
        self.sample, self.rng = sample, rng
        self.items = self.units = len(sample.inverse)
        self.codes = None
        if groups is not None and len(groups) == self.items:
            names, (self.codes,) = encode(list(groups))
            self.units = len(names)
            self.by_row = GroupedSums(sample.inverse, len(sample.counts))

    def measure(self, draws: int) -> Floats:
        """Compute the metric on a number of weightings."""
        return np.concatenate([self.sample.measure(self._to_items(weights)) for weights in self._draw(draws)])

    def measure_with_unseen(self, unseen: Unseen, draws: int) -> tuple[Floats, Floats, Floats]:
        """Compute the metric with unseen items: half right and half wrong, one wrong, one right."""
        neutral, careful, hopeful = [], [], []
        for weights in self._draw(draws):
            halves = self._add(self._add(weights.copy(), unseen.right, 1), unseen.wrong, 1)
            neutral.append(self.sample.measure(self._to_items(halves)))
            careful.append(self.sample.measure(self._to_items(self._add(weights.copy(), unseen.wrong, 2))))
            hopeful.append(self.sample.measure(self._to_items(self._add(weights, unseen.right, 2))))
        return np.concatenate(neutral), np.concatenate(careful), np.concatenate(hopeful)

    def _draw(self, draws: int) -> Iterator[Floats]:
        """Yield gamma variates, which become Dirichlet draws once normalised, (block, rows)."""
        counts = self.sample.counts
        seen = np.flatnonzero(counts)
        for block in blocks(draws, max(len(counts), self.units)):
            if self.codes is not None:
                yield self.by_row(self.rng.standard_exponential((block, self.units))[:, self.codes])
            elif len(seen) == len(counts) == self.items:  # every row occurs once
                yield self.rng.standard_exponential((block, self.items))
            else:
                weights = np.zeros((block, len(counts)))
                weights[:, seen] = self.rng.standard_gamma(counts[seen], size=(block, len(seen)))
                yield weights

    def _add(self, weights: Floats, unseen: Sequence[PseudoCount], times: int) -> Floats:
        """Add `times` halves of unseen items, each to one of its rows; an unseen group has the mean size."""
        every, size = np.arange(len(weights)), self.items / self.units
        for pseudo in unseen:
            rows = pseudo.rows[self.rng.integers(0, len(pseudo.rows), size=len(weights))]
            weights[every, rows] += size * self.rng.standard_gamma(times * pseudo.mass, size=len(weights))
        return weights

    def _to_items(self, weights: Floats) -> Floats:
        """Scale weights to sum to the number of items, as metrics based on counts require."""
        weights *= self.items / weights.sum(axis=1, keepdims=True)
        return weights


def _quantile(values: Floats, share: float) -> float | None:
    defined = values[~np.isnan(values)]
    return quantile(defined, share) if len(defined) and 2 * len(defined) >= len(values) else None


def _bias_corrected(value: float, drawn: Floats, units: int, tail: float) -> tuple[float, float] | None:
    """Compute the bias-corrected percentile interval (Efron), widened for few items (Hesterberg 2015).

    The correction is bounded: a constant near the mean has the highest α that a constant can have, and nearly every draw is below it,
    so that the full correction would lie beyond all draws and the interval would have zero width.
    """
    defined = drawn[~np.isnan(drawn)]
    if units <= FEW or 2 * len(defined) < len(drawn):
        return None
    below = ((defined < value).sum() + 0.5 * (defined == value).sum()) / len(defined)
    bias = _NORMAL.inv_cdf(min(max(below, 0.5 / len(defined)), 1 - 0.5 / len(defined)))
    shift = min(max(bias, -FARTHEST), FARTHEST)
    reach = -_NORMAL.inv_cdf(tail) * sqrt((units + FEW) / (units - FEW))
    low, high = (quantile(defined, _NORMAL.cdf(2 * shift + end)) for end in (-reach, reach))
    return min(low, value), max(high, value)


Part = tuple[float, N, N, N]
"""A weight, a value, and the bounds of its interval."""


def mean_interval(value: N, parts: Sequence[Sequence[Part[N]]]) -> tuple[N, N]:
    """Compute the interval of a weighted sum of scores from their intervals; for floats, or for arrays over systems.

    Scores of different groups are independent; those within a group are on the same items and may have correlated errors. The
    distances to the bounds add up in squares, separately on each side (Zou & Donner 2008).

    >>> low, high = mean_interval(0.7, [[(0.5, 0.8, 0.5, 0.9)], [(0.5, 0.6, 0.2, 0.7)]])
    >>> round(low, 3), round(high, 3)
    (0.45, 0.771)
    """
    below = sum(sum(share * (of - low) for share, of, low, _ in group) ** 2 for group in parts)
    above = sum(sum(share * (high - of) for share, of, _, high in group) ** 2 for group in parts)
    return value - below**0.5, value + above**0.5
