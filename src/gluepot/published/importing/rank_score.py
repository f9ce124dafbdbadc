"""EuroEval's own rank score, as on its leaderboards from December 2024 to May 2026 (protocol.rank of the suite)."""

from math import sqrt

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from gluepot.board.standings.aggregates import AGGREGATES, Aggregate, Contest, Floats
from gluepot.records import Suite

CERTAIN = 0.05


def dataset_ranks(means: Floats, spreads: Floats, runs: Floats) -> NDArray[np.float64]:
    """Return ranks on one dataset: systems not certainly worse than the anchor share its rank, others drop by their distance in spreads.

    The anchor is the best system, then the latest that dropped; the test is Welch's, one-sided, over the repetitions.

    >>> dataset_ranks(np.array([0.6, 0.59, 0.3]), np.full(3, 0.02), np.full(3, 10.0)).round(2).tolist()
    [1.0, 1.0, 3.16]
    """
    order, spread = np.argsort(-means, kind="stable"), float(np.std(means))
    ranks = np.ones(len(means))
    anchor, rank = order[0], 1.0
    for system in order[1:]:
        if spread and _beaten(means, spreads, runs, anchor, system):
            rank += float(means[anchor] - means[system]) / spread
            anchor = system
        ranks[system] = rank
    return ranks


def _beaten(means: Floats, spreads: Floats, runs: Floats, one: int, other: int) -> bool:
    """Return whether Welch's test finds one mean higher; if repetitions are unknown, the means alone decide."""
    from scipy.stats import ttest_ind_from_stats

    if np.isnan([spreads[one], spreads[other], runs[one], runs[other]]).any() or not sqrt(spreads[one] ** 2 + spreads[other] ** 2):
        return bool(means[one] > means[other])
    found = ttest_ind_from_stats(
        means[one], spreads[one], runs[one], means[other], spreads[other], runs[other], equal_var=False, alternative="greater"
    )
    return bool(found.pvalue < CERTAIN)


def rank_score(contest: Contest) -> Floats:
    """Return the mean over a task's datasets, then over tasks, of the ranks among competing systems; negated, because lower is better."""
    field, systems = contest.field, contest.systems
    assert field is not None
    assert systems is not None
    total = np.full(contest.values.shape[1], np.nan)
    chosen = systems[contest.competing]
    if not len(chosen):
        return total
    by_task = []
    for term in contest.terms:
        entries = [entry for entry, _share in term.parts]
        ranks = [dataset_ranks(*(array[entry, chosen] for array in (field.values, field.spreads, field.repetitions))) for entry in entries]
        by_task.append(np.mean(ranks, axis=0))
    total[contest.competing] = -np.round(np.mean(by_task, axis=0), 2)
    return total


def _has_rank(suite: Suite) -> bool:
    return "rank" in suite.protocol


AGGREGATES.add("euroeval", Aggregate(lambda: _("EuroEval’s rank score"), rank_score, score=False, alone=False, fits=_has_rank))
