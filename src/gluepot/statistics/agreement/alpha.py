"""Krippendorff's α, nominal, ordinal, interval and ratio, vectorised over weightings of the units.

Units with one vote are dropped, and a pair of votes on a unit of m weighs 1/(m − 1). Without disagreement, α is 1.
"""

from collections.abc import Callable

import numpy as np

from gluepot.errors import GluepotError
from gluepot.metrics.sample import Floats
from gluepot.statistics.agreement.units import UnitVotes

Measure = Callable[[UnitVotes, Floats], Floats]
"""Takes votes and weightings of their units, (b, units), and returns one value per weighting; NaN where undefined."""
_CELLS = 4_000_000


def alpha_nominal(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute nominal α: any two different values are equally far apart."""
    weights = weights * votes.pairable
    apart = _shared(votes, votes.sizes**2 - votes.squares())
    totals = votes.totals(weights)
    n = totals.sum(axis=1)
    return _alpha(weights @ apart, n**2 - (totals**2).sum(axis=1), n)


def alpha_interval(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute interval α: the distance of values is their squared difference."""
    numbers = _numbers(votes)[votes.value]
    weights = weights * votes.pairable
    least = np.full(votes.units, np.inf)
    np.minimum.at(least, votes.unit, numbers)
    above = numbers - least[votes.unit]  # exactly 0 where all agree, so that rounding does not count as disagreement
    apart = _shared(votes, 2 * (votes.sizes * _sums(votes, above**2) - _sums(votes, above) ** 2))
    kept = numbers[votes.pairable[votes.unit]]
    centred = numbers - (kept.mean() if len(kept) else 0.0)
    sums, squares = weights @ _sums(votes, centred), weights @ _sums(votes, centred**2)
    n = weights @ votes.sizes
    return _alpha(weights @ apart, 2 * (n * squares - sums**2), n)


def alpha_ordinal(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute ordinal α: the distance of values is the squared number of votes between them, i.e. interval α of mid-ranks."""
    order = np.argsort(_numbers(votes), kind="stable")
    weights = weights * votes.pairable
    values = np.empty(len(weights))
    block = max(1, _CELLS // max(votes.units, 1))
    for start in range(0, len(weights), block):
        some = weights[start : start + block]
        totals = votes.totals(some)
        n = totals.sum(axis=1)
        ranks = np.empty_like(totals)
        ranks[:, order] = np.cumsum(totals[:, order], axis=1) - totals[:, order] / 2
        ranks = (ranks - n[:, np.newaxis] / 2) / np.maximum(n, 1)[:, np.newaxis]
        sums, squares = np.asarray(votes.counts @ ranks.T).T, np.asarray(votes.counts @ (ranks**2).T).T
        apart = np.where(votes.pairable, 2 * (votes.sizes * squares - sums**2) / np.maximum(votes.sizes - 1, 1), 0.0)
        one_value = (totals > 0).sum(axis=1) < 2
        observed = np.where(one_value, 0.0, (some * apart).sum(axis=1))
        expected = 2 * (n * (totals * ranks**2).sum(axis=1) - (totals * ranks).sum(axis=1) ** 2)
        values[start : start + block] = _alpha(observed, expected, n)
    return values


def alpha_ratio(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute ratio α: the distance of values is the square of their difference over their sum, for non-negative values."""
    numbers = _numbers(votes)
    weights = weights * votes.pairable
    sums = numbers[:, np.newaxis] + numbers
    gaps = np.divide(numbers[:, np.newaxis] - numbers, sums, out=np.zeros_like(sums), where=sums != 0) ** 2
    counts = votes.counts if isinstance(votes.counts, np.ndarray) else votes.counts.toarray()
    apart = _shared(votes, ((counts @ gaps) * counts).sum(axis=1))
    totals = votes.totals(weights)
    n = totals.sum(axis=1)
    return _alpha(weights @ apart, ((totals @ gaps) * totals).sum(axis=1), n)


def krippendorff_interval(ratings: Floats) -> float:
    """Compute Krippendorff's interval α of any number of raters (columns); missing judgments are NaN.

    >>> round(krippendorff_interval(np.array([[1.0, 1.0], [5.0, 6.0], [9.0, 5.0]])), 4)
    0.7018
    """
    votes = UnitVotes.of_table(ratings)
    if not votes.pairable.any():
        raise GluepotError("interval α: no item was judged by two annotators.")
    return float(alpha_interval(votes, np.ones((1, votes.units)))[0])


def _numbers(votes: UnitVotes) -> Floats:
    assert votes.scale is not None, "values without a scale have nominal α alone"
    return votes.scale


def _shared(votes: UnitVotes, pairs: Floats) -> Floats:
    """Return the disagreement of each unit's ordered pairs, each of which weighs 1/(m − 1)."""
    return np.where(votes.pairable, pairs / np.maximum(votes.sizes - 1, 1), 0.0)


def _sums(votes: UnitVotes, numbers: Floats) -> Floats:
    return np.bincount(votes.unit, numbers, minlength=votes.units).astype(float)


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    """Compute 1 − Do/De from sums over pairs: Do = observed / n, De = expected / (n (n − 1)); 1 without differences, NaN without pairs."""
    ratio = np.divide(observed * (n - 1), expected, out=np.zeros_like(n), where=(observed > 0) & (expected > 0))
    return np.where(n > 1, 1 - ratio, np.nan)
