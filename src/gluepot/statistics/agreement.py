"""Agreement of annotators: pairwise correlations between raters, and each rater with themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Floats


def pairwise_agreement(ratings: Floats, metric: str = "spearman") -> float:
    """The mean over all pairs of annotators (columns) of a correlation between them; missing judgments are NaN.

    >>> pairwise_agreement(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    1.0
    """
    measure = METRICS[metric]
    values = []
    for a, b in combinations(ratings.T, 2):
        both = ~np.isnan(a) & ~np.isnan(b)
        values.append(measure(a[both], b[both]))
    return float(np.mean(values))


@dataclass(frozen=True)
class Consistency:
    """How one annotator agrees with themselves on pairs judged twice (SuperSim's Table 2)."""

    pairs: int
    disagreements: int
    hard: int
    alpha: float


def consistency(first: Sequence[float], second: Sequence[float], hard: float = 2.0) -> Consistency:
    """Different values, values more than `hard` apart, and interval α between first and second judgments.

    >>> judged = consistency([1, 5, 9], [1, 6, 5])
    >>> judged.disagreements, judged.hard, round(judged.alpha, 4)
    (2, 1, 0.7018)
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    gap = np.abs(a - b)
    return Consistency(len(a), int((gap > 0).sum()), int((gap > hard).sum()), METRICS["alpha-interval"](a, b))
