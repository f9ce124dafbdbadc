"""Ranks with confidence intervals: a rank, equal for equal values, and the range of ranks compatible with the data."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import LEVEL

Places = NDArray[np.signedinteger[Any]]
FEW = 60
"""Systems up to which the critical value is bootstrapped, which takes systems² × resamples steps; beyond, Bonferroni's is used."""
BEST = 20
"""Number of leading systems against which the others are tested in `may_be_best`."""
BLOCK = 200
"""Systems compared with all others per block."""
EQUAL = 1e-6
"""Minimum variance of a difference as a share of the sum of both variances; below it, single precision is not reliable.
Zero instead would make one item of 18,000, in one of 15 tasks, a certain difference."""
GAPS = 0.1
"""Maximum share of resamples dropped from paired comparisons because a metric is undefined on them."""


RESAMPLED, STATED, UNKNOWN = "resamples", "intervals", "none"
"""Source of a system's error: its resamples, a reported interval, or none."""


@dataclass(frozen=True)
class Rank:
    """Rank with its interval: `2 (1–4)` is second by value, from first to fourth; `1 (1–11)` of eleven is unknown."""

    rank: int
    low: int | None = None
    high: int | None = None
    evidence: str = UNKNOWN

    def __str__(self) -> str:
        return str(self.rank) if self.low == self.high else f"{self.rank} ({self.low}–{self.high})"


def rank_systems(values: Floats, replicates: Floats, level: float = LEVEL, errors: Floats | None = None) -> list[Rank]:
    """Compute the rank and rank interval of each system from its value and its paired bootstrap replicates (systems, resamples).

    For each system, the differences to all others are compared with their bootstrapped spread, at one critical value
    for all of them, so the interval holds simultaneously for all comparisons (Mogstad, Romano, Shaikh & Wilhelm 2024).
    Significantly better systems lower the best possible rank. A system whose replicates are NaN is a reported one: if `errors` has
    its standard error, it is compared as independent of the others, at Bonferroni's level; otherwise it is significantly better or
    worse than no other system, and any rank is possible.

    >>> rng = np.random.default_rng(0)
    >>> values = np.array([0.9, 0.5, 0.49, 0.4])
    >>> replicates = values[:, None] + rng.normal(0, 0.02, (4, 1000))
    >>> replicates[3] = np.nan
    >>> [str(r) for r in rank_systems(values, replicates)]
    ['1 (1–2)', '2 (2–4)', '3 (2–4)', '4 (1–4)']
    >>> [str(r) for r in rank_systems(values, replicates, errors=np.array([np.nan, np.nan, np.nan, 0.01]))]
    ['1', '2 (2–3)', '3 (2–3)', '4']
    """
    if np.isnan(values).any():
        raise ValueError("a system without a value has no rank")
    places = 1 + np.searchsorted(np.sort(-values), -values, side="left")
    better, worse, evidence = significant_order(values, replicates, level, errors)
    ends = zip(places.tolist(), (1 + better).astype(int).tolist(), (len(values) - worse).astype(int).tolist(), evidence, strict=True)
    return [Rank(place, low, high, known) for place, low, high, known in ends]


def significant_order(
    values: Floats, replicates: Floats, level: float = LEVEL, errors: Floats | None = None
) -> tuple[Floats, Floats, list[str]]:
    """Return for each system the number of significantly better and worse systems, and the source of its error."""
    errors = np.full(len(values), np.nan) if errors is None else errors
    drawn, partly = _drawn_together(replicates)
    errors = np.where(np.isnan(errors), _errors_of(replicates, partly, errors), errors)
    stated = np.setdiff1d(np.flatnonzero(~np.isnan(errors)), drawn)
    evidence = [UNKNOWN] * len(values)
    for places, what in ((drawn, RESAMPLED), (stated, STATED)):
        for place in places:
            evidence[place] = what
    better, worse = np.zeros(len(values)), np.zeros(len(values))
    others = len(drawn) + len(stated) - 1
    if others > 0:
        share = (len(drawn) - 1) / others  # share of the error rate that is left to the paired comparisons
        better[drawn], worse[drawn] = _certain(values[drawn], replicates[drawn], 1 - (1 - level) * share)
        if len(stated):
            _compare_stated(values, _errors_of(replicates, drawn, errors), drawn, stated, (better, worse), (1 - level) / others)
    return better, worse, evidence


def _drawn_together(replicates: Floats) -> tuple[Places, Places]:
    """Return the systems to compare on shared resamples, and those whose replicates are undefined too often.

    A resample counts only if all systems are defined on it. A system that would remove many of them is compared by its standard error
    alone, like a reported one; otherwise a few systems that are hardly ever defined would take the resamples, and with them the
    uncertainty, from all others. A system that is defined on less than half of the resamples is treated as unknown.
    """
    undefined = np.isnan(replicates)
    gaps = undefined.sum(axis=1)
    most = replicates.shape[1] * GAPS
    order = np.argsort(gaps, kind="stable")
    order = order[gaps[order] <= most]
    if gaps[order[-1:]].any():
        order = order[np.logical_or.accumulate(undefined[order], axis=0).sum(axis=1) <= most]
    partly = np.setdiff1d(np.flatnonzero(2 * gaps <= replicates.shape[1]), order)
    return np.sort(order), partly


def may_be_best(values: Floats, errors: Floats, draw: Callable[[Places], Floats], level: float = LEVEL) -> Floats:
    """Return a mask of the systems, out of more than FEW, to which none of the best BEST is significantly superior.

    Systems of unknown error are excluded. `errors` are the standard errors, of resamples or as reported; `draw` returns the
    replicates of some systems. The critical value is Bonferroni's, as in `significant_order` for that many systems. The standard error of a
    difference is at most the sum of both, so that replicates are used only where this bound does not decide.
    """
    known = ~np.isnan(errors)
    if not known.any():
        return np.zeros(len(values), bool)
    critical = NormalDist().inv_cdf(1 - (1 - level) / (2 * max(known.sum() - 1, 1)))
    top = _best_of(np.where(known, values, -np.inf), min(BEST, int(known.sum())))
    leader = top[:1]
    near = np.flatnonzero(known & ~(values[leader] - values > critical * (errors + errors[leader])))
    gaps = values[top] - values[near, np.newaxis]
    centred, best = (_centred(draw(places)) for places in (near, top))
    together = errors[near, np.newaxis] ** 2 + errors[top] ** 2
    squares = _squared_spreads(together, (centred @ best.T) / centred.shape[1])
    beaten = ((gaps > 0) & (gaps**2 > critical * critical * squares)).any(axis=1)
    best_ones = np.zeros(len(values), bool)
    best_ones[near[~beaten]] = True
    return best_ones


def _best_of(values: Floats, number: int) -> Places:
    """Return the positions of the `number` highest values, in descending order; equal values by position.

    >>> _best_of(np.array([0.1, 0.5, 0.3, 0.5]), 3)
    array([1, 3, 2])
    """
    least = np.partition(values, -number)[-number]
    places = np.flatnonzero(values >= least)  # sorting them all would cost more than everything else here
    return places[np.argsort(-values[places], kind="stable")[:number]]


def _centred(replicates: Floats) -> Floats:
    """Centre the replicates on the mean of each system; a row with NaN becomes zero."""
    around = replicates - replicates.mean(axis=1, keepdims=True)
    around[np.isnan(around)] = 0.0
    return around


def _errors_of(replicates: Floats, drawn: Places, errors: Floats) -> Floats:
    """Return the standard error of each system, from its resamples or as reported."""
    known = errors.copy()
    if len(drawn):
        known[drawn] = np.nanstd(replicates[drawn], axis=1)
    return known


def _compare_stated(values: Floats, errors: Floats, drawn: Places, stated: Places, found: tuple[Floats, Floats], chance: float) -> None:
    """Compare each reported system with all systems of known error, as independent, since its answers are unknown."""
    better, worse = found
    critical = NormalDist().inv_cdf(1 - chance / 2)
    known = np.concatenate([drawn, stated])
    gaps = values[known][:, np.newaxis] - values[stated]
    sure = np.abs(gaps) > critical * np.sqrt(errors[known][:, np.newaxis] ** 2 + errors[stated] ** 2)
    better[stated] += (sure & (gaps > 0)).sum(axis=0)
    worse[stated] += (sure & (gaps < 0)).sum(axis=0)
    mine = slice(0, len(drawn))
    better[drawn] += (sure & (gaps < 0))[mine].sum(axis=1)
    worse[drawn] += (sure & (gaps > 0))[mine].sum(axis=1)


def _certain(values: Floats, replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """Return for each system the number of significantly better and worse systems, from paired replicates."""
    if (gaps := np.isnan(replicates).any(axis=0)).any():
        replicates = replicates[:, ~gaps]
    if len(values) < 2 or not replicates.shape[1]:
        return np.zeros(len(values)), np.zeros(len(values))
    return (_certain_of_few if len(values) <= FEW else _certain_of_many)(values, replicates, level)


def _certain_of_few(values: Floats, replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """Compare by a bootstrapped critical value per system."""
    gaps = (values - values[:, np.newaxis]).astype(replicates.dtype)
    centred = replicates - replicates.mean(axis=1, keepdims=True)
    covariance = (centred @ centred.T) / centred.shape[1]
    variance = np.diagonal(covariance)
    squares = _squared_spreads(variance[:, np.newaxis] + variance, covariance)
    critical = _critical(replicates, gaps, squares, level)
    certain = gaps * gaps > critical * critical * squares
    return (certain & (gaps > 0)).sum(axis=1), (certain & (gaps < 0)).sum(axis=1)


def _certain_of_many(values: Floats, replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """Compare by Bonferroni's critical value, which is the same for all, so that each pair is tested once.

    Systems are sorted in ascending order and processed in blocks that fit the processor's cache. The standard error of a difference is
    at most the sum of both: systems farther from a block than the noisiest one allows are counted without a test, and covariances are
    computed, by one matrix product, only for the neighbours for which this bound does not decide.
    """
    systems = len(values)
    critical = NormalDist().inv_cdf(1 - (1 - level) / (2 * (systems - 1)))
    order = np.argsort(values, kind="stable")
    values, centred = values[order], replicates[order]
    centred -= centred.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)  # the common component cancels in differences, and would widen the bound
    variance = np.einsum("sr,sr->s", centred, centred) / centred.shape[1]
    errors = np.sqrt(variance)
    better, worse = np.zeros(systems), np.zeros(systems)
    reach = values + critical * (errors + errors.max())
    for start in range(0, systems, BLOCK):
        block = slice(start, start + BLOCK)
        end = int(np.searchsorted(values, reach[block].max(), side="right"))
        rest = slice(start, end)
        gaps = values[rest] - values[block, np.newaxis]
        certain = gaps > critical * (errors[rest] + errors[block, np.newaxis])
        near = slice(start, start + 1 + int(np.flatnonzero(~certain.all(axis=0))[-1]))
        covariance = (centred[block] @ centred[near].T) / centred.shape[1]
        squares = _squared_spreads(variance[near] + variance[block, np.newaxis], covariance)
        close = gaps[:, : squares.shape[1]]
        certain[:, : squares.shape[1]] |= (close > 0) & (close * close > critical * critical * squares)
        better[order[block]] += certain.sum(axis=1) + (systems - end)
        worse[order[rest]] += certain.sum(axis=0)
        worse[order[end:]] += len(certain)
    return better, worse


def _squared_spreads(together: Floats, covariance: Floats) -> Floats:
    """Compute the variance of differences from the sum of both variances and the covariance."""
    return np.maximum(together - 2 * covariance, EQUAL * together)


def _critical(replicates: Floats, gaps: Floats, squares: Floats, level: float) -> Floats:
    """Compute a critical value per system: the quantile of its largest standardised difference under the null hypothesis."""
    safe = np.where(squares > 0, np.sqrt(squares), np.inf)
    found = np.empty((len(replicates), 1))
    for number, system in enumerate(replicates):
        noise = replicates - system - gaps[number][:, np.newaxis]
        found[number] = np.quantile(np.max(np.abs(noise) / safe[number][:, np.newaxis], axis=0), level)
    return found
