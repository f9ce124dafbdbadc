"""Property-based tests for every registered metric; new metrics are included by the form of answer that they take."""

from itertools import combinations, product
from math import isnan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gluepot.errors import GluepotError
from gluepot.metrics import METRICS
from gluepot.metrics.sample import value_of
from gluepot.statistics.bootstrap import generator, interval, replicate

LAWFUL = [name for name in METRICS if name != "bertscore"]  # bertscore needs a model
FORMS = {name: METRICS[name].takes[0] for name in LAWFUL}
ORDERED = [name for name in LAWFUL if name.endswith("scandeval14")]  # their spans may cross sentence boundaries
ORDERLESS = [name for name in LAWFUL if name not in ORDERED]
COUNTING = ["alpha-nominal", "alpha-interval", "pseudo-alpha-recast"]  # chance without replacement: 2n − 1 and 2K − 1
OPTIONS = {"pseudo-alpha": {"chance": [1, 5]}}

LABELS, STANCES = ["a", "b", "c", "d"], ["FAVOR", "AGAINST", "NONE"]
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-MISC"]
numbers = st.integers(-8, 24).map(lambda quarter: quarter / 4)
texts = st.sampled_from(["mama myla ramu", "mylo", "ramu mama", "på mattan", "på mattan sover katten", "42", "mama, 42!"])
sets = st.sampled_from([frozenset(chosen) for size in range(4) for chosen in combinations(range(4), size)])
sentences = st.sampled_from([list(tags) for tags in product(TAGS, repeat=3)])

ROWS = {
    "label": st.tuples(st.sampled_from(LABELS[:3]), st.sampled_from(LABELS)),
    "number": st.tuples(numbers, numbers),
    "index": st.tuples(st.integers(0, 3), st.integers(0, 3)),
    "index-set": st.tuples(sets, sets),
    "tags": st.tuples(sentences, sentences),
    "text": st.tuples(texts | st.tuples(texts, texts), texts),
}
"""Gold and prediction of one item, by form of answer."""


def rows_of(name, min_size=1, max_size=12):
    """Return a strategy for items as (gold, predicted, number of options, group)."""
    row = st.tuples(st.sampled_from(STANCES), st.sampled_from(STANCES)) if name == "favor-against-f1" else ROWS[FORMS[name]]
    item = st.tuples(row, st.integers(4, 6), st.sampled_from("xyz")).map(lambda parts: (*parts[0], *parts[1:]))
    return st.lists(item, min_size=min_size, max_size=max_size)


def sample_of(name, rows):
    gold, predicted, options, groups = zip(*rows, strict=True)
    columns = {"options": options, "groups": groups, "labels": []}
    return METRICS[name].sample(gold, predicted, **{need: columns[need] for need in METRICS[name].needs}, **OPTIONS.get(name, {}))


def score(name, rows):
    return value_of(sample_of(name, rows))


def repeated(name, rows, times):
    """Repeat each resampled unit (an item, or a group where groups are counted) as often as `times` gives."""
    if "groups" not in METRICS[name].needs:
        return [row for row, count in zip(rows, times, strict=True) for _ in range(count)]
    copies = dict(zip(dict.fromkeys(row[3] for row in rows), times, strict=True))
    return [(*row[:3], (row[3], copy)) for row in rows for copy in range(copies[row[3]])]


def same(value):
    return pytest.approx(value, abs=1e-9, nan_ok=True)


def for_each(names):
    return pytest.mark.parametrize("name", list(names))


def law(names, max_examples=20, **drawn):
    """Decorate a property-based test to run for each of the given metrics."""
    return lambda test: for_each(names)(settings(max_examples=max_examples)(given(data=st.data(), **drawn)(test)))


def test_every_form_of_answer_has_items_to_try():
    assert set(FORMS.values()) <= set(ROWS)


@for_each(METRICS)
def test_no_items_are_an_error(name):
    with pytest.raises(GluepotError, match=f"{name}: no items to score"):
        METRICS[name]([], [])


@for_each(METRICS)
def test_a_missing_prediction_is_an_error(name):
    with pytest.raises(ValueError, match=f"{name}: 2 gold answers and 1 prediction$"):
        METRICS[name](["a", "b"], ["a"])


@law(ORDERLESS)
def test_the_order_of_items_does_not_matter(name, data):
    rows = data.draw(rows_of(name))
    assert score(name, data.draw(st.permutations(rows))) == same(score(name, rows))


@law([n for n, form in FORMS.items() if form in ("label", "index") and n != "favor-against-f1"])
def test_renaming_labels_does_not_matter(name, data):
    rows = data.draw(rows_of(name))
    names = dict(zip(data.draw(st.permutations([*LABELS, *range(4)])), [f"new {i}" for i in range(8)], strict=True))
    assert score(name, [(names[g], names[p], *rest) for g, p, *rest in rows]) == same(score(name, rows))


@law([n for n, form in FORMS.items() if form == "number"], factor=st.sampled_from([0.5, 3, 100]), shift=st.integers(-1000, 1000))
def test_another_scale_does_not_matter_to_numbers(name, data, factor, shift):
    rows = data.draw(rows_of(name))
    assert score(name, [(g * factor + shift, p * factor + shift, *rest) for g, p, *rest in rows]) == same(score(name, rows))


@law(LAWFUL)
def test_gold_scores_best(name, data):
    rows = data.draw(rows_of(name))
    if name == "gender-parity":  # does not use gold; the fairest answers are equal within a group
        rows = [("a", "xyz".index(group), k, group) for _, _, k, group in rows]
    else:
        rows = [(g, g[0] if FORMS[name] == "text" and isinstance(g, tuple) else g, *rest) for g, _, *rest in rows]
    if name in ("mcc", "pearson", "spearman"):
        assume(len({row[0] for row in rows}) > 1)
    if name == "favor-against-f1":
        assume({"FAVOR", "AGAINST"} <= {row[0] for row in rows})
    assert score(name, rows) == pytest.approx(METRICS[name].best, abs=1e-12)


@law(LAWFUL)
def test_no_value_lies_out_of_bounds(name, data):
    value, metric = score(name, data.draw(rows_of(name))), METRICS[name]
    assume(not isnan(value))
    assert value <= metric.best + 1e-12
    assert metric.worst is None or value >= metric.worst - 1e-12


@law(ORDERLESS)
def test_a_weight_is_how_often_an_item_occurs(name, data):
    rows = data.draw(rows_of(name))
    sample = sample_of(name, rows)
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(sample.inverse), max_size=len(sample.inverse)).filter(any))
    weights = np.bincount(sample.inverse, times, minlength=len(sample.counts))
    assert sample.measure(weights[np.newaxis])[0] == same(score(name, repeated(name, rows, times)))


@law([name for name in LAWFUL if name not in COUNTING])
def test_twice_the_same_items_score_the_same(name, data):
    sample = sample_of(name, data.draw(rows_of(name)))
    once, twice = sample.measure(np.stack([sample.counts, 2 * sample.counts]))
    assert twice == same(once)


@law(LAWFUL)
def test_counts_equal_the_number_of_items_per_distinct_row(name, data):
    sample = sample_of(name, data.draw(rows_of(name)))
    assert np.bincount(sample.inverse, minlength=len(sample.counts)).tolist() == sample.counts.tolist()


@law(LAWFUL)
def test_measuring_weightings_together_equals_one_by_one(name, data):
    sample = sample_of(name, data.draw(rows_of(name)))
    weights = 1.0 + np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 4, size=(5, len(sample.counts)))
    single = np.concatenate([sample.measure(row[np.newaxis]) for row in weights])
    np.testing.assert_allclose(sample.measure(weights), single, atol=1e-12)


@law(LAWFUL)
def test_measuring_does_not_modify_the_sample_or_weights(name, data):
    sample = sample_of(name, data.draw(rows_of(name)))
    counts, first = sample.counts.copy(), value_of(sample)
    for weights in (sample.counts[np.newaxis], np.tile(counts, (3, 1)), np.asfortranarray(np.tile(counts, (2, 1)))):
        before = weights.copy()
        sample.measure(weights)
        assert weights.tolist() == before.tolist()
    assert sample.counts.tolist() == counts.tolist()
    assert value_of(sample) == same(first)


@law(LAWFUL, max_examples=8)
def test_the_interval_lies_around_the_value(name, data):
    sample = sample_of(name, data.draw(rows_of(name, min_size=60, max_size=80)))
    values = replicate(sample, generator(name), resamples=400)
    bounds = interval(values)
    assume(bounds is not None)
    assert bounds[0] <= np.nanmedian(values) <= bounds[1]
    assert np.nanmin(values) - 1e-12 <= value_of(sample) <= np.nanmax(values) + 1e-12
