"""Differences of scores known only by their intervals: coverage, and consistency with their p-values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.statistics.independent import BoundedScore, detectable_difference, difference_interval, difference_p
from gluepot.statistics.wilson import wilson_interval

SHARES = st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda pair: (min(pair), pair[1]))


def bounded(right: int, n: int) -> BoundedScore:
    return BoundedScore(right / n, *wilson_interval(right / n, n))


@given(SHARES, SHARES, st.sampled_from([0.8, 0.95, 0.99, 0.999]))
def test_the_interval_excludes_zero_exactly_if_p_is_significant(a: tuple[int, int], b: tuple[int, int], level: float) -> None:
    one, other = bounded(*a), bounded(*b)
    low, high = difference_interval(one, other, level)
    assert low <= one.value - other.value <= high
    p = difference_p(one, other)
    if abs(p - (1 - level)) > 1e-9:
        assert (low <= 0 <= high) == (p > 1 - level)


@given(SHARES, SHARES)
def test_swapping_the_scores_negates_the_interval(a: tuple[int, int], b: tuple[int, int]) -> None:
    one, other = bounded(*a), bounded(*b)
    low, high = difference_interval(one, other)
    assert difference_interval(other, one) == pytest.approx((-high, -low))
    assert difference_p(one, other) == pytest.approx(difference_p(other, one))


@pytest.mark.parametrize(("a", "b", "n"), [(0.9, 0.8, 100), (0.55, 0.5, 300), (0.97, 0.97, 140)])
def test_the_interval_covers_the_true_difference_95_times_of_100(a: float, b: float, n: int) -> None:
    rng = np.random.default_rng(0)
    held = 0
    for first, second in zip(rng.binomial(n, a, 4000), rng.binomial(n, b, 4000), strict=True):
        low, high = difference_interval(bounded(int(first), n), bounded(int(second), n))
        held += low <= a - b <= high
    assert 0.93 < held / 4000 < 0.985


def test_a_detectable_difference_is_found_four_times_in_five() -> None:
    rng, n = np.random.default_rng(1), 400
    least = detectable_difference(bounded(280, n), bounded(280, n))
    pairs = zip(rng.binomial(n, 0.7 + least / 2, 4000), rng.binomial(n, 0.7 - least / 2, 4000), strict=True)
    found = np.mean([difference_p(bounded(int(a), n), bounded(int(b), n)) < 0.05 for a, b in pairs])
    assert found == pytest.approx(0.8, abs=0.03)


def test_scores_without_a_spread_have_p_zero_or_one() -> None:
    sure = BoundedScore(0.5, 0.5, 0.5)
    assert difference_p(sure, sure) == 1
    assert difference_p(BoundedScore(0.6, 0.6, 0.6), sure) == 0
