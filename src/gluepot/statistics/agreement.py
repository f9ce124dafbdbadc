"""Agreement of annotators: pairwise correlations between raters, and each rater with themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gluepot.errors import GluepotError
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
    """How one annotator agrees with themselves on pairs judged twice."""

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
    return Consistency(len(a), int((gap > 0).sum()), int((gap > hard).sum()), METRICS["alpha-interval"](a.tolist(), b.tolist()))


def krippendorff_interval(ratings: Floats) -> float:
    """Krippendorff's interval α of any number of annotators (columns); missing judgments are NaN.

    >>> round(krippendorff_interval(np.array([[1.0, 1.0], [5.0, 6.0], [9.0, 5.0]])), 4)
    0.7018
    """
    judged = (~np.isnan(ratings)).sum(axis=1)
    kept = ratings[judged > 1]
    per_item = judged[judged > 1]
    n = int(per_item.sum())
    if n == 0:
        raise GluepotError("interval α: no item was judged by two annotators.")
    above = kept - np.nanmin(kept, axis=1, keepdims=True)  # exactly 0 where all agree, so that rounding is no disagreement
    spread = np.nansum(above**2, axis=1) * per_item - np.nansum(above, axis=1) ** 2
    observed = float((2 * spread / (per_item - 1)).sum()) / n
    values = kept[~np.isnan(kept)]
    expected = 2 * float(((values - values.mean()) ** 2).sum()) / (n - 1)
    return 1.0 if observed == 0 else 1 - observed / expected
