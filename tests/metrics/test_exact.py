"""Registered metrics against exact arithmetic, on extreme numbers and unusual answers."""

from fractions import Fraction
from math import isnan, nextafter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.metrics.exact import REFERENCES

from gluepot.errors import GluepotError
from gluepot.metrics import INVALID, METRICS
from gluepot.metrics.sample import value_of
from gluepot.statistics.bootstrap import generator, replicate

ELSEWHERE = {"bertscore", "span-f1-scandeval14", "span-f1-no-misc-scandeval14"}
"""Metrics tested elsewhere: one needs a model, two copy a defect of a package and are compared with that package."""
LARGEST, SMALLEST = 1.7976931348623157e308, 5e-324
EXTREMES = [0.0, -0.0, 1.0, 3.0, 5.0, 1e16, 1e154, 1e155, 1e300, 1e308, LARGEST, 1e-9, 1e-154, 1e-160, 1e-300, 2.2250738585072014e-308]
EXTREMES += [SMALLEST, 2 * SMALLEST, nextafter(1.0, 2.0), nextafter(3.0, 0.0), 1e8 + 1e-7, 2**53, 2**53 + 1, 10**300, 2**1023]
numbers = st.sampled_from([*EXTREMES, *(-one for one in EXTREMES)]) | st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 5)
odd_texts = st.sampled_from(
    ["", " ", "!", "mylo", "mylo mylo", "Mylo.", "på mattan", "PÅ MATTAN", "a\0b", "\ud800", "ß ẞ", INVALID, "x " * 200]
)
labels = st.sampled_from(["a", "b", "A", "", "a\0", "\ud800", "1", INVALID])
sets = st.lists(st.integers(0, 3), max_size=5)
tags = st.sampled_from(["O", "O", "B-PER", "I-PER", "B-MISC", "I-MISC", "B-LOC"])
ROWS = {
    "label": st.tuples(labels.filter(lambda label: label != INVALID), labels),
    "number": st.tuples(numbers, numbers),
    "index": st.tuples(st.integers(0, 3) | st.just(2**70), st.integers(-1, 3) | st.sampled_from([2**70, 2**70 + 1])),
    "index-set": st.tuples(sets, sets),
    "tags": st.lists(st.tuples(tags, tags), max_size=5).map(lambda pairs: ([g for g, _ in pairs], [p for _, p in pairs])),
    "text": st.tuples(odd_texts | st.tuples(odd_texts, odd_texts), odd_texts),
}
"""Gold and prediction of one item, by form of answer."""
OPTIONS = {"pseudo-alpha": {"chance": [1, 5]}}
whole = st.integers(0, 3).map(Fraction)
broken = st.integers(0, 12).map(lambda eighth: Fraction(eighth, 8))
"""Weights of a plain and of a smoothed bootstrap; both are exact in binary."""


def rows_of(name, **size):
    row = st.tuples(*[st.sampled_from(["FAVOR", "AGAINST", "NONE"])] * 2) if name == "favor-against-f1" else ROWS[METRICS[name].takes[0]]
    return st.lists(st.tuples(row, st.integers(1, 4), st.sampled_from("xy")).map(lambda parts: (*parts[0], *parts[1:])), **size)


def sample_of(name, rows):
    gold, predicted, options, groups = zip(*rows, strict=True)
    columns = {"options": options, "groups": groups, "labels": []}
    return METRICS[name].sample(gold, predicted, **{need: columns[need] for need in METRICS[name].needs}, **OPTIONS.get(name, {}))


def check(name, rows, weights):
    """Assert that the metric under the given weights of the units equals the exact value, or is undefined where that is."""
    sample = sample_of(name, rows)
    folded = np.bincount(sample.inverse, [float(w) for w in weights], minlength=len(sample.counts))
    given_value = float(sample.measure(folded[np.newaxis])[0])
    exact = REFERENCES[name](rows, weights) if any(weights) else None
    if exact is None:
        assert isnan(given_value), f"{given_value} where it is undefined"
    else:
        assert given_value == pytest.approx(float(exact), abs=1e-9), float(exact)


def units(name, rows):
    return len({row[3] for row in rows}) if "groups" in METRICS[name].needs else len(rows)


def each(test):
    return pytest.mark.parametrize("name", list(REFERENCES))(test)


def test_every_metric_has_an_exact_reference():
    assert set(REFERENCES) | ELSEWHERE == set(METRICS)


@each
@settings(max_examples=60)
@given(data=st.data())
def test_any_finite_answers_score_as_in_exact_arithmetic(name, data):
    rows = data.draw(rows_of(name, min_size=1, max_size=8))
    check(name, rows, [Fraction(1)] * units(name, rows))


@each
@settings(max_examples=60)
@given(data=st.data())
def test_any_resample_scores_as_in_exact_arithmetic(name, data):
    rows = data.draw(rows_of(name, min_size=1, max_size=8))
    weights = data.draw(st.lists(data.draw(st.sampled_from([whole, broken])), min_size=units(name, rows), max_size=units(name, rows)))
    assume(sum(weights) == 0 or sum(weights) >= 1)  # 2n − 1 pooled pairs
    check(name, rows, weights)


@each
def test_a_resample_without_any_item_has_no_value(name):
    form = "favor" if name == "favor-against-f1" else METRICS[name].takes[0]
    answer = {"label": "a", "favor": "FAVOR", "number": 1.0, "index": 0, "index-set": [0], "tags": ["B-PER"], "text": "mylo"}[form]
    sample = sample_of(name, [(answer, answer, 2, "x"), (answer, answer, 2, "y")])
    assert np.isnan(sample.measure(np.zeros((3, len(sample.counts))))).all()


CONSTANTS = [1e308, -1e308, LARGEST, 1e154, -1e154, 1e155, 1e300, 10**300, 5, 0, -0.0, SMALLEST]
gold = [1.0, 2.2, 3.0, 3.4, 5.0, 4.1] * 20


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda constant: f"{float(constant):g}")
def test_constant_predictions_score_no_better_than_chance(constant):
    """Regression: 1e308 made the disagreement NaN, which was treated as no disagreement: α = 1."""
    sample = METRICS["alpha-interval"].sample(gold, [constant] * len(gold))
    assert value_of(sample) < 0.05
    assert replicate(sample, generator("constant"), resamples=100).max() < 0.05
    for name in ("pearson", "spearman"):
        assert isnan(METRICS[name](gold, [constant] * len(gold)))


@pytest.mark.parametrize("size", [1e154, 1e200, 1e308, LARGEST, 1e-200, SMALLEST])
def test_alternating_extreme_predictions_have_the_exact_alpha(size):
    predicted = [size, -size] * 60
    exact = REFERENCES["alpha-interval"]([*zip(gold, predicted, strict=True)], [Fraction(1)] * 120)
    assert METRICS["alpha-interval"](gold, predicted) == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("name", ["alpha-interval", "pearson", "spearman"])
@pytest.mark.parametrize("outlier", [1e10, 1e100, 1e200, 1e308, -LARGEST])
def test_resamples_without_the_outlier_are_as_exact_as_those_with_it(name, outlier):
    rng = np.random.default_rng(3)
    golds = rng.uniform(1, 5, 40).round(1)
    rows = [(g, p, 0, "") for g, p in zip(golds.tolist(), [*(golds[1:] + rng.normal(0, 0.5, 39)).tolist(), outlier], strict=True)]
    sample = sample_of(name, rows)
    weights = rng.integers(0, 3, (12, 40))
    weights[::2, -1] = 0
    exact = [float(REFERENCES[name](rows, [Fraction(int(w)) for w in row])) for row in weights]
    np.testing.assert_allclose(sample.measure(weights.astype(float)), exact, atol=1e-11)


@pytest.mark.parametrize("name", ["alpha-interval", "pearson", "spearman"])
def test_values_one_unit_in_the_last_place_apart_are_two_values(name):
    near = [3.0, nextafter(3.0, 4.0), nextafter(3.0, 0.0), 3.0, nextafter(3.0, 4.0)]
    rows = [(g, p, 0, "") for g, p in zip(near, near[::-1], strict=True)]
    check(name, rows, [Fraction(1)] * 5)
    assert METRICS[name](near, near) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("name", ["alpha-interval", "pearson", "spearman"])
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), 10**400], ids=["nan", "inf", "-inf", "10**400"])
def test_rejects_numbers_that_are_not_finite(name, odd):
    with pytest.raises(GluepotError, match=f"{name}: .* finite"):
        METRICS[name]([1.0, 2.0], [1.0, odd])


@pytest.mark.parametrize(
    ("golds", "predicted", "why"),
    [
        ([1, 2, 3], [1e308] * 3, "all predictions are the same"),
        ([2, 2, 2], [1, 2, 3], "all gold answers are the same"),
        ([2, 2, 2], [3, 3, 3], "all gold answers and all predictions are the same"),
        ([2], [3], "there is one item alone"),
    ],
)
def test_undefined_values_have_the_correct_reason(golds, predicted, why):
    assert isnan(METRICS["spearman"](golds, predicted))
    assert METRICS["spearman"].why_undefined(golds, predicted) == f"spearman is undefined: {why}"


@pytest.mark.parametrize("name", ["alpha-interval", "pearson", "spearman"])
@settings(max_examples=40)
@given(data=st.data())
def test_no_numbers_score_out_of_bounds(name, data):
    rows = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=10))
    value = METRICS[name](*zip(*rows, strict=True))
    assert isnan(value) or value <= 1.0
    assert isnan(value) or value >= -1.0


@pytest.mark.parametrize("power", [-3, 7, 30, -30])
@pytest.mark.parametrize("name", ["alpha-interval", "pearson", "spearman"])
def test_scaling_by_a_power_of_two_changes_no_bit(name, power):
    rng = np.random.default_rng(power + 40)
    golds, predicted = rng.uniform(0, 5, 200), rng.uniform(0, 5, 200)
    weights = rng.integers(0, 4, (20, 200)).astype(float)
    ours = METRICS[name].sample(golds, predicted).measure(weights)
    theirs = METRICS[name].sample(golds * 2.0**power, predicted * 2.0**power).measure(weights)
    assert ours.tolist() == theirs.tolist()
