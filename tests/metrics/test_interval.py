"""Interval α and Pearson's r: worked examples, edges, and equality with krippendorff and scipy."""

from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gluepot.metrics import METRICS

alpha, pearson = METRICS["alpha-interval"], METRICS["pearson"]
values = st.integers(-40, 60).map(lambda quarter: quarter / 4)
pairs = st.lists(st.tuples(values, values), min_size=2, max_size=40)


def test_alpha_by_hand():
    # Do = 4/3; the pooled values 1 2 3 1 2 5 have mean 7/3 and Σ(x−x̄)² = 34/3, so De = 2·(34/3)/5.
    assert alpha([1, 2, 3], [1, 2, 5]) == pytest.approx(1 - (4 / 3) / (68 / 15))


@pytest.mark.parametrize("numbers", [[3], [0.1, 0.1, 0.1], [1, 2, 5.5]])
def test_alpha_is_one_where_nothing_disagrees(numbers):
    assert alpha(numbers, numbers) == 1.0


def test_alpha_does_not_clip_predictions_off_the_scale():
    gold = [1, 2, 3, 4, 5]
    assert alpha(gold, [1, 2, 3, 4, 6.8]) < alpha(gold, [1, 2, 3, 4, 5])
    assert alpha(gold, [-0.24, 2, 3, 4, 5]) < alpha(gold, [0, 2, 3, 4, 5])


def test_alpha_of_reversed_answers_is_minus_one_plus_one_nth():
    assert alpha([0, 1] * 10, [1, 0] * 10) == pytest.approx(-1 + 1 / 20)


@given(pairs)
def test_alpha_never_falls_below_minus_one(rows):
    assert alpha(*zip(*rows, strict=True)) >= -1


@given(pairs)
def test_alpha_equals_the_krippendorff_package(krippendorff, rows):
    columns = np.array(rows, float).T
    assume(len(np.unique(columns)) > 1)
    theirs = krippendorff.alpha(reliability_data=columns, level_of_measurement="interval")
    assert alpha(*columns) == pytest.approx(theirs, abs=1e-12)


def test_alpha_keeps_its_precision_far_from_zero():
    gold, predicted = np.arange(50.0), np.arange(50.0) + np.tile([0.5, -0.5], 25)
    assert alpha(gold + 1e8, predicted + 1e8) == pytest.approx(alpha(gold, predicted), abs=1e-12)


def test_pearson_by_hand():
    # Σxy = 2.5 about the means, Σx² = 2, Σy² = 3.5.
    assert pearson([1, 2, 3], [1, 1.5, 3.5]) == pytest.approx(2.5 / np.sqrt(2 * 3.5))


@given(st.integers(2, 200), st.floats(-100, 100), st.booleans())
def test_constant_predictions_have_no_correlation(n, constant, swapped):
    columns = [list(range(n)), [constant] * n]
    assert isnan(pearson(*columns[:: -1 if swapped else 1]))


def test_a_resample_of_one_value_has_no_correlation():
    sample = pearson.sample(range(12), [0.1] * 10 + [0.7, 0.3])
    weights = np.zeros((200, 12))
    weights[:, :10] = np.random.default_rng(1).integers(0, 4, size=(200, 10))
    assert np.isnan(sample.measure(weights)).all()


@given(pairs)
def test_pearson_equals_scipy(scipy_stats, rows):
    gold, predicted = np.array(rows).T
    assume(len(set(gold)) > 1 and len(set(predicted)) > 1)
    assert pearson(gold, predicted) == pytest.approx(scipy_stats.pearsonr(gold, predicted)[0], abs=1e-12)


def test_pearson_is_invariant_under_scale_and_shift_of_predictions():
    rng = np.random.default_rng(5)
    gold = rng.normal(size=200)
    predicted = gold + rng.normal(size=200)
    expected = pearson(gold, predicted)
    for scale, shift in ((1, 1e6), (1e-9, 0), (1e9, -3)):
        assert pearson(gold, scale * predicted + shift) == pytest.approx(expected, abs=1e-9)
