"""Pseudo-α: the published constants, and the exact form against nominal α of the recast decisions."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.metrics import METRICS

corrected, recast, alpha = METRICS["pseudo-alpha"], METRICS["pseudo-alpha-recast"], METRICS["alpha-nominal"]


@st.composite
def selections(draw):
    """Draw items as (options, gold, predicted)."""
    item = st.integers(2, 6).flatmap(lambda k: st.tuples(st.just(k), st.integers(0, k - 1), st.integers(0, k - 1)))
    return draw(st.lists(item, min_size=1, max_size=20))


@pytest.mark.parametrize(
    ("chance", "right", "n", "value"),
    [
        ([1, 5], 102, 204, (0.5 - 1 / 5) / (4 / 5)),  # SweSAT
        ([109, 2049], 78, 109, (78 / 109 - 109 / 2049) / (1940 / 2049)),  # SweFAQ
        (0.2, 1, 4, 0.0625),
        (0, 3, 4, 0.75),  # SweAnalogy: plain accuracy
    ],
)
def test_pseudo_alpha_corrects_by_the_published_chance(chance, right, n, value):
    gold, predicted = [0] * n, [0] * right + [1] * (n - right)
    assert corrected(gold, predicted, chance=chance) == pytest.approx(value, abs=1e-12)


def test_pseudo_alpha_is_zero_at_chance_and_negative_below():
    assert corrected([0] * 5, [0, 1, 1, 1, 1], chance=[1, 5]) == pytest.approx(0)
    assert corrected([0] * 5, [1] * 5, chance=[1, 5]) == pytest.approx(-0.25)


def test_recast_by_hand():
    # n = 4, K = 2+3+3+4 = 12, one wrong: 1 − (1/4)·23 / 16.
    assert recast([0, 1, 2, 3], [0, 1, 2, 0], options=[2, 3, 3, 4]) == pytest.approx(1 - 23 / 64)


@given(selections())
def test_recast_is_nominal_alpha_over_all_candidates(items):
    decisions = [(c == g, c == p) for k, g, p in items for c in range(k)]
    options, gold, predicted = zip(*items, strict=True)
    assert recast(gold, predicted, options=options) == pytest.approx(alpha(*zip(*decisions, strict=True)), abs=1e-12)


def test_recast_of_single_candidates_is_one_if_taken_and_undefined_if_not():
    assert recast([0, 0], [0, 0], options=[1, 1]) == 1.0
    assert isnan(recast([0, 0], [0, -1], options=[1, 1]))
