"""Ranks that admit what they do not know: a rank, and the ranks that the data cannot rule out."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import LEVEL

FEW = 60
"""Up to so many systems the critical value is bootstrapped, which takes systems² × resamples steps; beyond, Bonferroni's."""
BLOCK = 200
"""Systems compared with all others at a time."""


@dataclass(frozen=True)
class Rank:
    """`2 (1–4)`: second by value, but first to fourth cannot be told apart; no interval where nothing is known of the noise."""

    rank: int
    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        return str(self.rank) if self.low == self.high else f"{self.rank} ({self.low}–{self.high})"


def rank_systems(values: Floats, replicates: Floats, level: float = LEVEL) -> list[Rank]:
    """Rank and rank interval of each system from its value and its paired bootstrap replicates (systems, resamples).

    For each system, the differences to all others are compared with their bootstrapped spread, at one critical value
    for all of them, so the interval holds for the whole comparison at once (Mogstad, Romano, Shaikh & Wilhelm 2024).
    Systems that are certainly better push the interval's best rank down. A system whose replicates are NaN has a value
    that somebody reported: it takes part, is certainly better or worse than nobody, and gets no interval itself.

    >>> rng = np.random.default_rng(0)
    >>> values = np.array([0.9, 0.5, 0.49, 0.4])
    >>> replicates = values[:, None] + rng.normal(0, 0.02, (4, 1000))
    >>> replicates[3] = np.nan
    >>> [str(r) for r in rank_systems(values, replicates)]
    ['1 (1–2)', '2 (2–4)', '3 (2–4)', '4']
    """
    if np.isnan(values).any():
        raise ValueError("a system without a value has no rank")
    places = 1 + np.searchsorted(np.sort(-values), -values, side="left")
    known = np.flatnonzero(~np.isnan(replicates).all(axis=1))
    better, worse = _certain(values[known], replicates[known], level)
    ranks = [Rank(int(place)) for place in places]
    for number, system in enumerate(known):
        ranks[system] = Rank(int(places[system]), 1 + int(better[number]), len(values) - int(worse[number]))
    return ranks


def _certain(values: Floats, replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """For each system, how many others are certainly better and how many certainly worse.

    One product for all covariances, then squares instead of roots in blocks that fit a processor's cache: with 2,000
    systems the product is most of the time.
    """
    systems = len(values)
    better, worse = np.zeros(systems), np.zeros(systems)
    replicates = replicates[:, ~np.isnan(replicates).any(axis=0)]
    centred = replicates - replicates.mean(axis=1, keepdims=True)
    covariance = (centred @ centred.T) / max(centred.shape[1], 1)
    for start in range(0, systems if systems > 1 else 0, BLOCK):
        block = slice(start, start + BLOCK)
        gaps = (values - values[block, np.newaxis]).astype(centred.dtype)
        squares = _squared_spreads(covariance, block)
        critical = _critical(replicates[block], replicates, gaps, squares, level)
        certain = gaps * gaps > critical * critical * squares
        better[block] = (certain & (gaps > 0)).sum(axis=1)
        worse[block] = (certain & (gaps < 0)).sum(axis=1)
    return better, worse


def _squared_spreads(covariance: Floats, block: slice) -> Floats:
    """The variance of the differences between a block of systems and all."""
    variance = np.diagonal(covariance)
    together = variance + variance[block, np.newaxis]
    squares = together - 2 * covariance[block]
    squares[squares < 1e-6 * together] = 0.0  # equal answers: rounding alone is left
    return squares


def _critical(mine: Floats, replicates: Floats, gaps: Floats, squares: Floats, level: float) -> Floats:
    """One critical value a system: how many spreads the largest of its differences strays by chance."""
    systems = len(replicates)
    if systems > FEW:
        return np.full((len(mine), 1), NormalDist().inv_cdf(1 - (1 - level) / (2 * (systems - 1))), squares.dtype)
    safe = np.where(squares > 0, np.sqrt(squares), np.inf)
    found = np.empty((len(mine), 1))
    for number, system in enumerate(mine):
        noise = replicates - system - gaps[number][:, np.newaxis]
        found[number] = np.quantile(np.max(np.abs(noise) / safe[number][:, np.newaxis], axis=0), level)
    return found
