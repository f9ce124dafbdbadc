"""Wilson's interval against its definition: the shares that a test of this one does not rule out."""

from math import sqrt

import pytest

from gluepot.statistics.wilson import standard_error, wilson_interval


@pytest.mark.parametrize(("share", "n"), [(0.5, 10), (0.8, 100), (0.99, 500), (0.03, 31)])
def test_the_ends_are_the_shares_from_which_this_one_is_no_surprise(share: float, n: int) -> None:
    for end in wilson_interval(share, n):
        assert abs(share - end) / sqrt(end * (1 - end) / n) == pytest.approx(1.959963985)


def test_all_right_is_no_certainty() -> None:
    low, high = wilson_interval(1.0, 20)
    assert low == pytest.approx(20 / (20 + 1.959963985**2))
    assert high == 1.0


def test_what_is_no_share_has_no_interval() -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson_interval(1.2, 10)


def test_a_standard_error_reads_back_from_its_interval() -> None:
    assert standard_error(0.5 - 1.959963985 * 0.02, 0.5 + 1.959963985 * 0.02) == pytest.approx(0.02)
