"""Intervals from ten bootstrap iterations have nominal coverage, unlike those of the upstream project."""

import numpy as np
import pytest

from gluepot.statistics.t_interval import DISTINCT_ITEMS, ITEMS, bootstrapped_mean

TRUE, N, TIMES = 0.7, 400, 1500


def covered(*, distinct: bool, variance: float) -> tuple[float, float]:
    """Return the simulated coverage of `bootstrapped_mean` and of 1.96·s/√10."""
    rng = np.random.default_rng(11)
    ours = theirs = 0
    for _ in range(TIMES):
        right = rng.random(N) < TRUE
        draws = rng.integers(0, N, (10, N))
        values = [float(right[np.unique(draw) if distinct else draw].mean()) for draw in draws]
        mean, low, high = bootstrapped_mean(values, variance)
        ours += low <= TRUE <= high
        theirs += abs(mean - TRUE) <= 1.96 * np.std(values, ddof=1) / np.sqrt(10)
    return ours / TIMES, theirs / TIMES


@pytest.mark.parametrize(("distinct", "variance"), [(False, ITEMS), (True, DISTINCT_ITEMS)])
def test_the_interval_covers_the_truth_nineteen_times_in_twenty(distinct, variance):
    ours, theirs = covered(distinct=distinct, variance=variance)
    assert 0.93 <= ours <= 0.97
    assert theirs < 0.5


def test_one_value_has_no_interval():
    assert bootstrapped_mean([0.5]) is None
    assert bootstrapped_mean([0.5, 0.5]) == (0.5, 0.5, 0.5)
