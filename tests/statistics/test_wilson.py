"""Wilson interval against its definition as the shares not rejected by a score test."""

from math import sqrt

import pytest

from gluepot.statistics.wilson import standard_error, wilson_interval


@pytest.mark.parametrize(("share", "n"), [(0.5, 10), (0.8, 100), (0.99, 500), (0.03, 31)])
def test_the_ends_are_the_shares_just_not_rejected(share: float, n: int) -> None:
    for end in wilson_interval(share, n):
        assert abs(share - end) / sqrt(end * (1 - end) / n) == pytest.approx(1.959963985)


def test_the_interval_of_a_perfect_share_has_positive_width() -> None:
    low, high = wilson_interval(1.0, 20)
    assert low == pytest.approx(20 / (20 + 1.959963985**2))
    assert high == 1.0


def test_rejects_a_value_that_is_not_a_share() -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson_interval(1.2, 10)


def test_recovers_the_standard_error_from_an_interval() -> None:
    assert standard_error(0.5 - 1.959963985 * 0.02, 0.5 + 1.959963985 * 0.02) == pytest.approx(0.02)
