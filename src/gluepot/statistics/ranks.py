"""Ranks that admit what they do not know: a rank, and the ranks that the data cannot rule out."""

from dataclasses import dataclass

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import LEVEL


@dataclass(frozen=True)
class Rank:
    """`2 (1–4)`: second by value, but first to fourth cannot be told apart."""

    rank: int
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.rank} ({self.low}–{self.high})" if self.low != self.high else str(self.rank)


def rank_systems(values: Floats, replicates: Floats, level: float = LEVEL) -> list[Rank]:
    """Rank and rank interval of each system from its value and its paired bootstrap replicates (systems, resamples).

    For each system, the differences to all others are bootstrapped together; the largest standardised deviation
    gives one critical value for all of them, so the interval holds for the whole comparison at once (Mogstad,
    Romano, Shaikh & Wilhelm 2024). Systems that are certainly better push the interval's best rank down.

    >>> rng = np.random.default_rng(0)
    >>> values = np.array([0.9, 0.5, 0.49])
    >>> [str(r) for r in rank_systems(values, values[:, None] + rng.normal(0, 0.02, (3, 1000)))]
    ['1', '2 (2–3)', '3 (2–3)']
    """
    if np.isnan(values).any():
        raise ValueError("a system without a value has no rank")
    replicates = replicates[:, ~np.isnan(replicates).any(axis=0)]
    ranks = []
    for system, value in enumerate(values):
        others = np.delete(np.arange(len(values)), system)
        gaps = values[others] - value
        noise = replicates[others] - replicates[system] - gaps[:, np.newaxis]
        spread = np.std(noise, axis=1)
        better, worse = gaps > 0, gaps < 0
        if len(others):
            safe = np.where(spread > 0, spread, np.inf)
            critical = np.quantile(np.max(np.abs(noise) / safe[:, np.newaxis], axis=0), level)
            better, worse = gaps > critical * spread, gaps < -critical * spread
        ranks.append(Rank(1 + int((gaps > 0).sum()), 1 + int(better.sum()), len(values) - int(worse.sum())))
    return ranks
