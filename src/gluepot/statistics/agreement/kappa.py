"""Agreement as the share of equal votes, raw and corrected for chance: percent, both forms of Fleiss' κ, Gwet's AC1, Cohen's κ."""

from itertools import combinations

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.agreement.units import UnitVotes

COMMON = 5
"""Minimum common units of two raters for their κ to count, if there are more than two raters."""


def percent_items(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute the share of equal pairs of votes, averaged over units."""
    weights = weights * votes.pairable
    return _over(weights @ _equal_shares(votes), weights.sum(axis=1))


def percent_pairs(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute the share of equal pairs among all pairs of votes on the same unit."""
    pairs = np.where(votes.pairable, votes.sizes * (votes.sizes - 1), 0.0)
    return _over(weights @ (pairs * _equal_shares(votes)), weights @ pairs)


def fleiss_pooled(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute Fleiss' κ, with chance agreement from the shares of all votes on units with two or more."""
    totals = votes.totals(weights * votes.pairable)
    shares = totals / np.maximum(totals.sum(axis=1), 1)[:, np.newaxis]
    return _corrected(percent_items(votes, weights), (shares**2).sum(axis=1))


def fleiss_mean(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute Fleiss' κ, with chance agreement from the mean shares of all units, including those with one vote (Gwet)."""
    return _corrected(percent_items(votes, weights), (_mean_shares(votes, weights) ** 2).sum(axis=1))


def ac1(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute Gwet's AC1, whose chance agreement is small where one value dominates."""
    shares = _mean_shares(votes, weights)
    others = max(len(votes.values) - 1, 1)
    return _corrected(percent_items(votes, weights), (shares * (1 - shares)).sum(axis=1) / others)


def cohen(votes: UnitVotes, weights: Floats) -> Floats:
    """Compute Cohen's κ of two raters; for more, the mean over pairs with enough common units (Light)."""
    values = [_kappa_of(pair, weights) for pair in shared_units(votes)[0]]
    table = np.array(values) if values else np.full((1, len(weights)), np.nan)
    defined = ~np.isnan(table)
    return _over(np.where(defined, table, 0.0).sum(axis=0), defined.sum(axis=0).astype(float))


Pair = tuple[Floats, Floats, Floats, int]
"""Common units of two raters, the values given by each, and the number of distinct values."""


def shared_units(votes: UnitVotes) -> tuple[list[Pair], int]:
    """Return the pairs of raters with common units (at least COMMON for more than two raters), and the number of other pairs."""
    first: dict[int, dict[int, int]] = {}
    for unit, rater, value in zip(votes.unit.tolist(), votes.rater.tolist(), votes.value.tolist(), strict=True):
        first.setdefault(rater, {}).setdefault(unit, value)
    least = COMMON if len(first) > 2 else 1
    found: list[Pair] = []
    few = 0
    for a, b in combinations(first.values(), 2):
        both = sorted(a.keys() & b.keys())
        if len(both) < least:
            few += 1
        else:
            found.append((np.array(both), np.array([a[u] for u in both]), np.array([b[u] for u in both]), len(votes.values)))
    return found, few


def _kappa_of(pair: Pair, weights: Floats) -> Floats:
    units, a, b, size = pair
    some = weights[:, units.astype(int)]
    n = np.maximum(some.sum(axis=1), 1e-12)[:, np.newaxis]
    one, other = (some @ np.eye(size)[codes.astype(int)] / n for codes in (a, b))
    return np.where(some.any(axis=1), _corrected(some @ (a == b) / n[:, 0], (one * other).sum(axis=1)), np.nan)


def _equal_shares(votes: UnitVotes) -> Floats:
    pairs = votes.sizes * (votes.sizes - 1)
    return np.divide(votes.squares() - votes.sizes, pairs, out=np.zeros(votes.units), where=pairs > 0)


def _mean_shares(votes: UnitVotes, weights: Floats) -> Floats:
    given = votes.sizes > 0
    weights = weights * given
    shares = votes.totals(weights / np.maximum(votes.sizes, 1))
    return shares / np.maximum(weights.sum(axis=1), 1e-12)[:, np.newaxis]


def _corrected(agreed: Floats, chance: Floats) -> Floats:
    """Compute (a − e)/(1 − e); 1 where all agree on a single value."""
    return np.where(
        np.isclose(chance, 1), np.where(np.isclose(agreed, 1), 1.0, np.nan), (agreed - chance) / np.where(chance == 1, 1, 1 - chance)
    )


def _over(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
