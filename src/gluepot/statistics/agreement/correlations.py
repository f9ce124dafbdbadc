"""Agreement of annotators: pairwise correlations, and the self-consistency of one annotator."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

import numpy as np

from gluepot.errors import GluepotError
from gluepot.metrics import METRICS
from gluepot.metrics.sample import Floats


def pairwise_agreement(ratings: Floats, metric: str = "spearman") -> float:
    """Compute the mean of a correlation over all pairs of annotators (columns); missing judgments are NaN.

    >>> pairwise_agreement(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    1.0
    """
    found = pairwise_mean(ratings, metric)
    if found.value is None:
        raise GluepotError(f"{metric}: no items to score.")
    return found.value


@dataclass(frozen=True)
class PairwiseMean:
    """Mean of a correlation over pairs of annotators."""

    value: float | None
    pairs: int
    left_out: int
    """Pairs with too few common items for a correlation, or with a constant judgment."""


def pairwise_mean(ratings: Floats, metric: str = "spearman") -> PairwiseMean:
    """Compute the mean of a correlation over pairs of annotators; undefined pairs, e.g. without common items, are skipped and counted.

    >>> nan = float("nan")
    >>> pairwise_mean(np.array([[1.0, 2.0, nan], [2.0, 3.0, nan], [nan, nan, 4.0]]))
    PairwiseMean(value=1.0, pairs=1, left_out=2)
    """
    measure = METRICS[metric]
    values, pairs = [], 0
    for a, b in combinations(ratings.T, 2):
        pairs += 1
        both = ~np.isnan(a) & ~np.isnan(b)
        if both.sum() > 1 and not isnan(value := measure(a[both], b[both])):
            values.append(value)
    return PairwiseMean(float(np.mean(values)) if values else None, len(values), pairs - len(values))


@dataclass(frozen=True)
class Consistency:
    """Self-consistency of an annotator on items judged twice."""

    pairs: int
    disagreements: int
    hard: int
    alpha: float


def consistency(first: Sequence[float], second: Sequence[float], hard: float = 2.0) -> Consistency:
    """Compare first and second judgments: different values, values more than `hard` apart, and interval α.

    >>> judged = consistency([1, 5, 9], [1, 6, 5])
    >>> judged.disagreements, judged.hard, round(judged.alpha, 4)
    (2, 1, 0.7018)
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    gap = np.abs(a - b)
    return Consistency(len(a), int((gap > 0).sum()), int((gap > hard).sum()), METRICS["alpha-interval"](a.tolist(), b.tolist()))
