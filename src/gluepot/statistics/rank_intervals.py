"""Ranks that admit ties: a rank, equal for equal values, and the ranks that the data cannot rule out."""

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
"""Up to so many systems the critical value is bootstrapped, which takes systems² × resamples steps; beyond, Bonferroni's."""
BEST = 20
"""Of more systems than FEW, those with which the others are compared to tell who may be the best."""
BLOCK = 200
"""Systems compared with all others at a time."""
EQUAL = 1e-6
"""Of both systems' variances, the share below which single precision does not tell that of their difference: it is taken to be that much.
Taking it for none would make one item of 18,000, in one of 15 tasks, a certain difference."""
GAPS = 0.1
"""The share of resamples that paired comparisons may do without: a metric is undefined on some of them."""


RESAMPLED, STATED, UNKNOWN = "resamples", "intervals", "none"
"""What is known of a system's noise: its resamples, the interval that was stated for it, nothing."""


@dataclass(frozen=True)
class Rank:
    """`2 (1–4)`: second by value, but first to fourth cannot be told apart; `1 (1–11)` of eleven where nothing is known."""

    rank: int
    low: int | None = None
    high: int | None = None
    evidence: str = UNKNOWN

    def __str__(self) -> str:
        return str(self.rank) if self.low == self.high else f"{self.rank} ({self.low}–{self.high})"


def rank_systems(values: Floats, replicates: Floats, level: float = LEVEL, errors: Floats | None = None) -> list[Rank]:
    """Rank and rank interval of each system from its value and its paired bootstrap replicates (systems, resamples).

    For each system, the differences to all others are compared with their bootstrapped spread, at one critical value
    for all of them, so the interval holds for the whole comparison at once (Mogstad, Romano, Shaikh & Wilhelm 2024).
    Systems that are certainly better push the interval's best rank down. A system whose replicates are NaN was reported: where
    `errors` has its standard error it is compared as if it were independent of the others, at Bonferroni's level; where nothing is
    known, it is certainly better or worse than nobody, and any rank is possible.

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
    better, worse, evidence = certain_order(values, replicates, level, errors)
    ends = zip(places.tolist(), (1 + better).astype(int).tolist(), (len(values) - worse).astype(int).tolist(), evidence, strict=True)
    return [Rank(place, low, high, known) for place, low, high, known in ends]


def certain_order(
    values: Floats, replicates: Floats, level: float = LEVEL, errors: Floats | None = None
) -> tuple[Floats, Floats, list[str]]:
    """For each system, how many others are certainly better, how many certainly worse, and what that is known from."""
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
        share = (len(drawn) - 1) / others  # of the chances to err, those that the paired comparisons may use
        better[drawn], worse[drawn] = _certain(values[drawn], replicates[drawn], 1 - (1 - level) * share)
        if len(stated):
            _compare_stated(values, _errors_of(replicates, drawn, errors), drawn, stated, (better, worse), (1 - level) / others)
    return better, worse, evidence


def _drawn_together(replicates: Floats) -> tuple[Places, Places]:
    """The systems that are compared on shared resamples, and those whose own are undefined too often for that.

    A resample counts only where all are defined. A system that leaves few of them is compared by its error alone, as what was reported
    is: otherwise some that are hardly ever defined would take the resamples, and with these the doubt, from everybody. One that is
    defined on less than half says nothing.
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
    """Which of more than FEW systems none of the best BEST is certainly better than; nobody of whom nothing is known.

    `errors` are their standard errors, of resamples or as stated; `draw` gives the replicates of some of them. The critical value is
    Bonferroni's, as in `certain_order` for so many. A difference strays by no more than both systems together, so that resamples are
    looked at only where this leaves a doubt.
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
    """The places of so many of the highest values, the first of equal ones first.

    >>> _best_of(np.array([0.1, 0.5, 0.3, 0.5]), 3)
    array([1, 3, 2])
    """
    least = np.partition(values, -number)[-number]
    places = np.flatnonzero(values >= least)  # sorting them all would cost more than everything else here
    return places[np.argsort(-values[places], kind="stable")[:number]]


def _centred(replicates: Floats) -> Floats:
    """Around the mean of each system; zeros where there are none."""
    around = replicates - replicates.mean(axis=1, keepdims=True)
    around[np.isnan(around)] = 0.0
    return around


def _errors_of(replicates: Floats, drawn: Places, errors: Floats) -> Floats:
    """Every system's standard error: of its resamples, or as stated."""
    known = errors.copy()
    if len(drawn):
        known[drawn] = np.nanstd(replicates[drawn], axis=1)
    return known


def _compare_stated(values: Floats, errors: Floats, drawn: Places, stated: Places, found: tuple[Floats, Floats], chance: float) -> None:
    """Compare each system of which an interval was stated with all that have one, independently: nobody knows their answers."""
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
    """For each system, how many others are certainly better and how many certainly worse."""
    if (gaps := np.isnan(replicates).any(axis=0)).any():
        replicates = replicates[:, ~gaps]
    if len(values) < 2 or not replicates.shape[1]:
        return np.zeros(len(values)), np.zeros(len(values))
    return (_certain_of_few if len(values) <= FEW else _certain_of_many)(values, replicates, level)


def _certain_of_few(values: Floats, replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """By a critical value of each system, bootstrapped."""
    gaps = (values - values[:, np.newaxis]).astype(replicates.dtype)
    centred = replicates - replicates.mean(axis=1, keepdims=True)
    covariance = (centred @ centred.T) / centred.shape[1]
    variance = np.diagonal(covariance)
    squares = _squared_spreads(variance[:, np.newaxis] + variance, covariance)
    critical = _critical(replicates, gaps, squares, level)
    certain = gaps * gaps > critical * critical * squares
    return (certain & (gaps > 0)).sum(axis=1), (certain & (gaps < 0)).sum(axis=1)


def _certain_of_many(values: Floats, replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """By Bonferroni's critical value, which is the same for all: the better of two is looked at once.

    In ascending order and in blocks that fit a processor's cache. A difference strays by no more than both systems together: who is
    farther from a block than the noisiest could stray is counted and not looked at, and only where a doubt is left, with the
    neighbours, a block takes the product that gives its covariances.
    """
    systems = len(values)
    critical = NormalDist().inv_cdf(1 - (1 - level) / (2 * (systems - 1)))
    order = np.argsort(values, kind="stable")
    values, centred = values[order], replicates[order]
    centred -= centred.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=0)  # what all have in common is in no difference, and would make the bound wide
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
    """The variance of differences, from the sum of both systems' variances and their covariance."""
    return np.maximum(together - 2 * covariance, EQUAL * together)


def _critical(replicates: Floats, gaps: Floats, squares: Floats, level: float) -> Floats:
    """One critical value a system: how many spreads the largest of its differences strays by chance."""
    safe = np.where(squares > 0, np.sqrt(squares), np.inf)
    found = np.empty((len(replicates), 1))
    for number, system in enumerate(replicates):
        noise = replicates - system - gaps[number][:, np.newaxis]
        found[number] = np.quantile(np.max(np.abs(noise) / safe[number][:, np.newaxis], axis=0), level)
    return found
