"""Significance of the difference between two systems on shared items, used by the command line and the board."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import interval
from gluepot.statistics.independent import BoundedScore, difference_interval, difference_p
from gluepot.statistics.independent import detectable_difference as detectable_apart
from gluepot.statistics.paired import bootstrap_p, mcnemar
from gluepot.statistics.power import detectable_difference

CERTAIN = 0.05
RIGHT_OR_WRONG = ("accuracy", "micro-f1", "pseudo-alpha")
"""Metrics that count right items, where each item is either right or wrong."""
MCNEMAR, BOOTSTRAP, INTERVALS = "McNemar, exact", "paired bootstrap", "from both intervals"


class DifferenceTest(Struct, frozen=True, kw_only=True):
    """Difference between two systems, its uncertainty, and the number of items on which each is better."""

    difference: float
    low: float | None
    high: float | None
    p: float
    p_is_bound: bool
    """Whether p is the smallest value that this many resamples can show; the true one may be smaller."""
    test: str
    better: int
    """Items on which `a` is better than `b`."""
    worse: int
    detectable: float | None
    """Smallest true difference that this comparison would detect four times in five."""

    def undecided(self, corrected: float) -> bool:
        """Return whether more resamples could still establish a difference, because p is only a bound."""
        return self.p_is_bound and corrected >= CERTAIN


def right_or_wrong(metric: str, gains: Floats, *, grouped: bool) -> bool:
    """Return whether McNemar's test applies: ungrouped items, each right or wrong."""
    return metric in RIGHT_OR_WRONG and not grouped and bool(len(gains)) and bool(np.isin(gains, (-1, 0, 1)).all())


def judge(metric: str, values: tuple[float, float], draws: Sequence[Floats], gains: Floats, *, grouped: bool) -> DifferenceTest:
    """Test whether two values of a metric differ, from their paired bootstrap values and the gain per item (empty if unknown).

    >>> rng = np.random.default_rng(0)
    >>> gains = np.array([1.0] * 31 + [-1.0] * 12 + [0.0] * 97)
    >>> judged = judge("accuracy", (0.8, 0.66), rng.normal([[0.8], [0.66]], 0.03, (2, 1000)), gains, grouped=False)
    >>> judged.test, round(judged.p, 4), judged.better, judged.worse
    ('McNemar, exact', 0.0054, 31, 12)
    """
    differences = np.asarray(draws[0], float) - np.asarray(draws[1], float)
    low, high = interval(differences) or (None, None)
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    exact = right_or_wrong(metric, gains, grouped=grouped)
    p, bound = (mcnemar(better, worse), False) if exact else bootstrap_p(differences)
    detectable = detectable_difference(draws[0], draws[1])
    return DifferenceTest(
        difference=values[0] - values[1],
        low=low,
        high=high,
        p=p,
        p_is_bound=bound,
        test=MCNEMAR if exact else BOOTSTRAP,
        better=better,
        worse=worse,
        detectable=None if np.isnan(detectable) else detectable,
    )


def compare_intervals(a: BoundedScore, b: BoundedScore) -> DifferenceTest:
    """Test whether two scores differ when only their intervals are known, as if they were measured on different items.

    >>> judged = compare_intervals(BoundedScore(0.91, 0.88, 0.93), BoundedScore(0.50, 0.46, 0.55))
    >>> judged.test, judged.p < 0.001
    ('from both intervals', True)
    """
    low, high = difference_interval(a, b)
    return DifferenceTest(
        difference=a.value - b.value,
        low=low,
        high=high,
        p=difference_p(a, b),
        p_is_bound=False,
        test=INTERVALS,
        better=0,
        worse=0,
        detectable=detectable_apart(a, b),
    )
