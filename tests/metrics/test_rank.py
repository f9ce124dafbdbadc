"""Spearman's ρ: worked examples, ties, weights, and equality with scipy."""

from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gluepot.metrics import METRICS
from gluepot.metrics.rank import MidRanks

spearman = METRICS["spearman"]
pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40)


def test_rho_without_ties_is_one_minus_six_squared_rank_distances():
    # d = 0 −1 −1 2 0: Σd² = 6, n(n²−1) = 120.
    assert spearman([1, 2, 3, 4, 5], [1, 3, 4, 2, 5]) == pytest.approx(1 - 6 * 6 / 120)


def test_tied_values_share_the_mean_of_their_ranks():
    # Ranks 1, 2.5, 2.5, 4 against 1 2 3 4: covariance 4.5, variances 4.5 and 5.
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / np.sqrt(4.5 * 5))


def test_mid_ranks_count_items_by_their_weight():
    ranks = MidRanks(np.array([5.0, 1.0, 5.0, 9.0]))(np.array([[1.0, 2.0, 1.0, 1.0]]).T)
    assert ranks.ravel().tolist() == [3.5, 1.5, 3.5, 5.0]


@pytest.mark.parametrize(("gold", "predicted"), [([1, 2, 3], [5, 5, 5]), ([0.1, 0.1], [1, 2]), ([4, 4], [4, 4]), ([1], [1])])
def test_rho_of_a_constant_is_undefined(gold, predicted):
    assert isnan(spearman(gold, predicted))


@given(pairs)
def test_rho_equals_scipy(scipy_stats, rows):
    gold, predicted = np.array(rows, float).T
    assume(len(set(gold)) > 1 and len(set(predicted)) > 1)
    assert spearman(gold, predicted) == pytest.approx(scipy_stats.spearmanr(gold, predicted)[0], abs=1e-12)


@given(pairs)
def test_rho_depends_only_on_the_order_of_predictions(rows):
    gold, predicted = np.array(rows, float).T
    assert spearman(gold, 1e-6 * np.exp(predicted)) == pytest.approx(spearman(gold, predicted), nan_ok=True)
