"""Simulated coverage of interval rules for means."""

import pytest

from gluepot.statistics.coverage import coverage, root_rule, t_rule


@pytest.mark.parametrize("accuracy", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("items", [256, 2048])
def test_the_printed_rule_covers_less_than_half_and_the_t_rule_its_level(items: int, accuracy: float) -> None:
    assert 0.38 < coverage(root_rule, items, accuracy) < 0.48
    assert 0.93 < coverage(t_rule, items, accuracy) < 0.97


def test_more_resamples_reduce_the_coverage_of_the_printed_rule() -> None:
    assert coverage(root_rule, resamples=100) < 0.2 < coverage(root_rule, resamples=10)
    assert coverage(t_rule, resamples=100) > 0.93


def test_the_board_uses_the_t_rule() -> None:
    """The t rule is that of `bootstrapped_mean`, which the import of records uses."""
    import numpy as np

    from gluepot.statistics.t_interval import bootstrapped_mean

    values = [0.70, 0.72, 0.69, 0.71, 0.68]
    made = bootstrapped_mean(values)
    assert made is not None
    half = t_rule(np.array([np.mean(values)]), np.array([np.std(values, ddof=1)]), len(values))[0]
    assert made[2] - made[0] == pytest.approx(half)
