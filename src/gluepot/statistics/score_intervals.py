"""The interval of one score: what the items that were drawn say, and what the items that were not drawn could still say.

A percentile bootstrap repeats the items it has, so that a system without a mistake gets an interval of no width. Here the weights of
the items come from a Dirichlet distribution (the Bayesian bootstrap) in which unseen items take part: half an item that is right and
half one that is wrong, which is Jeffreys' interval for a proportion; and, so that neither side is missed more than 4 times in 100,
a whole one that is wrong for the lower end and a whole one that is right for the upper end, which is Clopper and Pearson's.
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
"""How often one side may be missed."""
FEW = 5
"""Items by which an interval of numbers is widened: so much is wanting where sums of squares have long tails."""
FARTHEST = 0.25
"""Standard deviations by which the correction may move an interval: a larger bias is no bias but a value at the edge of what it can be."""
_NORMAL = NormalDist()
N = TypeVar("N", float, Floats)


def score_interval(
    sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None = None, draws: int = RESAMPLES, level: float = LEVEL
) -> tuple[float, float] | None:
    """The interval of a metric on these predictions; None where it is undefined on most draws, or nothing is known of its spread.

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
    """Weightings of a sample's rows: Dirichlet over items, or over groups that bring all their items."""

    def __init__(self, sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None) -> None:
        self.sample, self.rng = sample, rng
        self.items = self.units = len(sample.inverse)
        self.codes = None
        if groups is not None and len(groups) == self.items:
            names, (self.codes,) = encode(list(groups))
            self.units = len(names)
            self.by_row = GroupedSums(sample.inverse, len(sample.counts))

    def measure(self, draws: int) -> Floats:
        """The metric on so many weightings."""
        return np.concatenate([self.sample.measure(self._to_items(weights)) for weights in self._draw(draws)])

    def measure_with_unseen(self, unseen: Unseen, draws: int) -> tuple[Floats, Floats, Floats]:
        """The same with unseen items: right and wrong ones in halves, wrong ones only, right ones only."""
        neutral, careful, hopeful = [], [], []
        for weights in self._draw(draws):
            halves = self._add(self._add(weights.copy(), unseen.right, 1), unseen.wrong, 1)
            neutral.append(self.sample.measure(self._to_items(halves)))
            careful.append(self.sample.measure(self._to_items(self._add(weights.copy(), unseen.wrong, 2))))
            hopeful.append(self.sample.measure(self._to_items(self._add(weights, unseen.right, 2))))
        return np.concatenate(neutral), np.concatenate(careful), np.concatenate(hopeful)

    def _draw(self, draws: int) -> Iterator[Floats]:
        """Gamma variates that make a Dirichlet draw once they are brought to their sum, (block, rows)."""
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
        """So many halves of unseen items, each on one of its rows; an unseen group is of usual size."""
        every, size = np.arange(len(weights)), self.items / self.units
        for pseudo in unseen:
            rows = pseudo.rows[self.rng.integers(0, len(pseudo.rows), size=len(weights))]
            weights[every, rows] += size * self.rng.standard_gamma(times * pseudo.mass, size=len(weights))
        return weights

    def _to_items(self, weights: Floats) -> Floats:
        """Weights that sum to the number of items, as the metrics that count need them."""
        weights *= self.items / weights.sum(axis=1, keepdims=True)
        return weights


def _quantile(values: Floats, share: float) -> float | None:
    defined = values[~np.isnan(values)]
    return quantile(defined, share) if len(defined) and 2 * len(defined) >= len(values) else None


def _bias_corrected(value: float, drawn: Floats, units: int, tail: float) -> tuple[float, float] | None:
    """The percentiles at which the value itself would be the median (Efron), moved outwards for few items (Hesterberg 2015).

    A constant near the mean has the highest α that a constant can have, and nearly every draw is below it: what would make it their
    median lies beyond all of them, and the interval would have no width.
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
"""A share, a value, and the ends of its interval."""


def mean_interval(value: N, parts: Sequence[Sequence[Part[N]]]) -> tuple[N, N]:
    """The interval of a weighted sum of scores, from theirs; numbers, or arrays of many systems.

    Scores of different groups are independent, those within one were made on the same items and may err together. The distances to
    the ends add up in squares, each side for itself (Zou & Donner 2008).

    >>> low, high = mean_interval(0.7, [[(0.5, 0.8, 0.5, 0.9)], [(0.5, 0.6, 0.2, 0.7)]])
    >>> round(low, 3), round(high, 3)
    (0.45, 0.771)
    """
    below = sum(sum(share * (of - low) for share, of, low, _ in group) ** 2 for group in parts)
    above = sum(sum(share * (high - of) for share, of, _, high in group) ** 2 for group in parts)
    return value - below**0.5, value + above**0.5
