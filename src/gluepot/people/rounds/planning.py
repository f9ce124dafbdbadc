"""Number of items and raters needed for a confidence interval of a given width."""

from math import sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from gluepot.people.aggregation import aggregate
from gluepot.statistics.agreement import UnitVotes
from gluepot.statistics.bootstrap import generator

Z = NormalDist().inv_cdf(0.975)
MOST = 10_000_000
RATERS = (3, 5, 10, 20, 50)


class RoundForecast(Struct, frozen=True):
    """Requirements of an annotation round."""

    accuracy: float
    within: float
    items: int
    """Number of items for which the interval of an accuracy is narrow enough, ignoring variation between raters."""
    spread: float
    """Standard deviation between raters, assumed or estimated from the pilot."""
    by_raters: dict[int, float]
    """Half-width of the interval of the mean of single votes by number of raters, over items and raters."""
    pilot: dict[str, float] = {}


def wilson_half_width(accuracy: float, items: int) -> float:
    """Return the half-width of Wilson's interval.

    >>> round(wilson_half_width(0.9, 388), 4)
    0.03
    """
    return Z * sqrt(accuracy * (1 - accuracy) / items + Z**2 / (4 * items**2)) / (1 + Z**2 / items)


def items_needed(accuracy: float, within: float) -> int:
    """Return the smallest number of items for which the half-width of Wilson's interval is at most `within`.

    >>> [items_needed(0.8, w) for w in (0.02, 0.03, 0.05)], items_needed(0.95, 0.05)
    ([1535, 682, 245], 83)
    """
    low, high = 1, MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wilson_half_width(accuracy, middle) <= within else (middle + 1, high)
    return low


def single_votes_half_width(accuracy: float, items: int, raters: int, spread: float) -> float:
    """Return ±1.96 √(p(1 − p)/n + s²/R) for the mean of single votes.

    >>> round(single_votes_half_width(0.9, 10**9, 5, 0.05), 3)
    0.044
    """
    return Z * sqrt(accuracy * (1 - accuracy) / items + spread**2 / raters)


def forecast_round(accuracy: float, within: float, spread: float = 0.05) -> RoundForecast:
    """Forecast a round from assumptions, without votes."""
    items = items_needed(accuracy, within)
    return RoundForecast(accuracy, within, items, spread, {r: single_votes_half_width(accuracy, items, r, spread) for r in RATERS})


def forecast_from_pilot(votes: UnitVotes, within: float, trials: int = 400) -> RoundForecast:
    """Forecast a round from pilot votes, with agreement with the majority as accuracy; items and raters are resampled."""
    rng = generator("pilot", votes.units, len(votes.unit))
    majority = aggregate(votes)
    right = np.array([votes.values[v] == majority.answers[u][0][0] for u, v in zip(votes.unit, votes.value, strict=True)], float)
    by_rater = [right[votes.rater == rater] for rater in np.unique(votes.rater)]
    means = np.array([one.mean() for one in by_rater])
    usual = float(right.mean())
    noise = float(np.mean([usual * (1 - usual) / len(one) for one in by_rater]))
    spread = sqrt(max(float(means.var(ddof=1)) - noise, 0.0)) if len(means) > 1 else 0.0
    items = items_needed(min(max(usual, 0.01), 0.99), within)
    widths = {}
    for raters in RATERS:
        skill = np.clip(rng.normal(usual, spread, size=(trials, raters)), 0, 1)
        each = rng.binomial(max(items // raters, 1), skill) / max(items // raters, 1)
        widths[raters] = float(np.diff(np.quantile(each.mean(axis=1), [0.025, 0.975]))[0] / 2)
    return RoundForecast(usual, within, items, spread, widths, {"items": votes.units, "votes": len(votes.unit), "raters": len(means)})
