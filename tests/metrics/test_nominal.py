"""Metrics of labels: worked examples, edges, and equality with scikit-learn and krippendorff."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gluepot.metrics import INVALID, METRICS
from gluepot.metrics.nominal import LabelPairs

accuracy, alpha, mcc = METRICS["accuracy"], METRICS["alpha-nominal"], METRICS["mcc"]
macro_f1, weighted_f1, stance_f1 = METRICS["macro-f1"], METRICS["weighted-f1"], METRICS["favor-against-f1"]

pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=40)
two_labels = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), min_size=1, max_size=40)


# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections A and B.
MEG, OWEN = "0100000010", "1110010000"
BEN, GERRY = "aabbdcccedda", "babbbccceddd"


def test_accuracy_is_the_share_of_right_answers():
    assert accuracy(["a", "b", "b", "a", "c"], ["a", "b", "a", "a", "b"]) == 0.6


def test_alpha_reproduces_krippendorffs_binary_example():
    assert alpha(list(MEG), list(OWEN)) == pytest.approx(0.095, abs=5e-4)


def test_alpha_reproduces_krippendorffs_nominal_example():
    assert alpha(list(BEN), list(GERRY)) == pytest.approx(0.692, abs=5e-4)


def test_alpha_by_hand():
    # Do = 1/3; pooled counts a 3, b 2, c 1 give De = (36 - 14) / 30.
    assert alpha(["a", "b", "a"], ["a", "b", "c"]) == pytest.approx(1 - (1 / 3) / (22 / 30))


@pytest.mark.parametrize("labels", ["a", "aaaa", "ab", "abcabc"])
def test_alpha_is_one_where_nothing_disagrees(labels):
    assert alpha(list(labels), list(labels)) == 1.0


def test_alpha_of_a_single_label_is_one_where_the_krippendorff_package_raises(krippendorff):
    with pytest.raises(ValueError, match="one value"):
        krippendorff.alpha(reliability_data=[[1, 1], [1, 1]], level_of_measurement="nominal")
    assert alpha([1, 1], [1, 1]) == 1.0


def test_alpha_of_one_disagreement_is_zero():
    assert alpha(["a"], ["b"]) == 0.0


def test_a_predicted_label_that_gold_never_has_counts_in_alpha():
    gold = ["a", "a", "b", "b"]
    known, extra = alpha(gold, ["a", "b", "b", "b"]), alpha(gold, ["a", "z", "b", "b"])
    assert known == pytest.approx(1 - (1 / 4) / (30 / 56))
    assert extra == pytest.approx(1 - (1 / 4) / (38 / 56))


def test_alpha_of_one_constant_label_on_balanced_gold():
    gold = ["neutral"] * 312 + ["entailment"] * 312
    assert alpha(gold, ["neutral"] * 624) == pytest.approx(-0.33, abs=0.005)


@given(two_labels)
def test_alpha_of_two_labels_is_a_function_of_macro_f1(rows):
    gold, predicted = zip(*rows, strict=True)
    assume(len(set(gold + predicted)) == 2)
    n = len(rows)
    assert alpha(gold, predicted) == pytest.approx(1 - (2 * n - 1) / n * (1 - macro_f1(gold, predicted)), abs=1e-12)


@given(pairs)
def test_alpha_equals_the_krippendorff_package(krippendorff, rows):
    coded = np.array([["abcd".index(label) for label in row] for row in rows], float)
    assume(len(np.unique(coded)) > 1)
    theirs = krippendorff.alpha(reliability_data=coded.T, level_of_measurement="nominal")
    assert alpha(*zip(*rows, strict=True)) == pytest.approx(theirs, abs=1e-12)


def test_macro_f1_averages_the_labels_of_gold_and_prediction():
    # a: 2·1/(2+1), b: 1, c (only predicted): 0.
    assert macro_f1(["a", "a", "b"], ["a", "c", "b"]) == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_weighted_f1_weighs_by_gold():
    # a: 2·2/(3+2) = 0.8, thrice gold; b: 2·1/(1+2) = 2/3, once.
    assert weighted_f1(["a", "a", "a", "b"], ["a", "a", "b", "b"]) == pytest.approx((3 * 0.8 + 2 / 3) / 4)


def test_mcc_by_hand():
    # TP 2, TN 1, FP 1, FN 1.
    gold, predicted = [1, 1, 1, 0, 0], [1, 1, 0, 0, 1]
    assert mcc(gold, predicted) == pytest.approx((2 * 1 - 1 * 1) / math.sqrt(3 * 3 * 2 * 2))


@pytest.mark.parametrize(("gold", "predicted"), [("ab", "aa"), ("aa", "ab"), ("aa", "aa"), ("a", "b")])
def test_mcc_is_zero_where_it_is_undefined(gold, predicted):
    assert mcc(list(gold), list(predicted)) == 0.0


@given(pairs)
@settings(max_examples=30)
@pytest.mark.filterwarnings("ignore:A single label was found")
def test_label_metrics_equal_scikit_learn(sklearn_metrics, rows):
    gold, predicted = map(list, zip(*rows, strict=True))
    assert accuracy(gold, predicted) == pytest.approx(sklearn_metrics.accuracy_score(gold, predicted), abs=1e-12)
    assert mcc(gold, predicted) == pytest.approx(sklearn_metrics.matthews_corrcoef(gold, predicted), abs=1e-12)
    for average in ("macro", "micro", "weighted"):
        theirs = sklearn_metrics.f1_score(gold, predicted, average=average, zero_division=0)
        assert METRICS[f"{average}-f1"](gold, predicted) == pytest.approx(theirs, abs=1e-12)


def test_stance_f1_finds_its_classes_by_name_in_any_order():
    # FAVOR: 2·1/(1+2); AGAINST: 2·1/(2+1); NONE does not count.
    gold, predicted = ["NONE", "AGAINST", "AGAINST", "FAVOR"], ["NONE", "AGAINST", "FAVOR", "FAVOR"]
    assert stance_f1(gold, predicted) == pytest.approx(2 / 3)
    assert stance_f1(gold[::-1], predicted[::-1]) == pytest.approx(2 / 3)


def test_stance_f1_counts_an_absent_class_as_zero():
    assert stance_f1(["FAVOR", "NONE"], ["FAVOR", "NONE"]) == 0.5


def test_stance_f1_takes_other_class_names():
    assert stance_f1(["pro", "con"], ["pro", "pro"], classes=["pro", "con"]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["accuracy", "macro-f1", "micro-f1", "weighted-f1", "mcc", "favor-against-f1"])
def test_an_invalid_answer_is_never_right(name):
    assert METRICS[name](["FAVOR", "AGAINST", "NONE"], [INVALID] * 3) <= 0.0


@pytest.mark.parametrize("name", ["macro-f1", "weighted-f1", "mcc", "alpha-nominal"])
def test_an_invalid_answer_counts_as_the_most_frequent_label_that_is_wrong(name):
    metric, gold = METRICS[name], ["a", "a", "b"]
    assert metric(gold, ["a", INVALID, INVALID]) == metric(gold, ["a", "b", "a"])
    assert metric(gold, ["a", "c", "b"]) != metric(gold, ["a", INVALID, "b"])


@pytest.mark.parametrize("name", ["macro-f1", "weighted-f1", "mcc", "alpha-nominal", "accuracy"])
@pytest.mark.parametrize("classes", [2, 3, 8])
def test_not_to_answer_never_pays(name, classes):
    """Regression: as a class of its own, an unreadable answer let a system that knew a tenth of the items win by omitting the rest."""
    rng = np.random.default_rng(classes)
    for _ in range(20):
        gold = rng.choice(classes, 500, p=rng.dirichlet(np.ones(classes))).astype(str).tolist()
        known = rng.random(500) < rng.random()
        guess = max(sorted(set(gold)), key=gold.count)
        answered = [g if k else guess for g, k in zip(gold, known, strict=True)]
        withheld = [g if k else INVALID for g, k in zip(gold, known, strict=True)]
        assert METRICS[name](gold, withheld) <= METRICS[name](gold, answered) + 1e-12


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=60))
def test_arrays_of_integers_and_lists_of_labels_are_counted_alike(rows):
    gold, predicted = (list(column) for column in zip(*rows, strict=True))
    lists = LabelPairs([str(g) for g in gold], [str(p) for p in predicted])
    arrays = LabelPairs(np.array(gold), np.array(predicted))
    for sample in (lists, arrays):
        cells = [(str(sample.labels[g]), str(sample.labels[p])) for g, p in zip(sample.gold, sample.predicted, strict=True)]
        assert [cells[row] for row in sample.inverse] == [(str(g), str(p)) for g, p in rows]
        occurring = {cell: count for cell, count in zip(cells, sample.counts, strict=True) if count}
        assert occurring == {(str(g), str(p)): rows.count((g, p)) for g, p in rows}
