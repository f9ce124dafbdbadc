"""Building blocks of samples: encoded labels, distinct rows, sums by code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.metrics.sample import GroupedSums, distinct_codes, distinct_rows, encode


@pytest.mark.parametrize("size", [1, 2, 300, 60_000, 1_200_000])
def test_encoded_labels_can_be_read_back(size):
    """Sizes include more labels than one byte, or all of Unicode, can number."""
    gold, predicted = [f"label {n}" for n in range(size)], [f"label {n % 7}" for n in range(size)]
    labels, (g, p) = encode(gold, predicted)
    assert [labels[code] for code in g] == gold
    assert [labels[code] for code in p] == predicted
    assert len(set(labels)) == len(labels)


@given(st.lists(st.sampled_from(["", "a", 1, 2.5, (0, 1), frozenset({3}), None]), min_size=1))
def test_labels_of_any_sort_come_in_order_of_first_appearance(column):
    labels, (codes,) = encode(column)
    assert labels == list(dict.fromkeys(column))
    assert [labels[code] for code in codes] == column


@given(st.lists(st.integers(-5, 5) | st.sampled_from([-(2**62), 10**6, 2**62]), min_size=1))
def test_arrays_of_integers_can_be_read_back(column):
    labels, (there, back) = encode(np.array(column), np.array(column[::-1]))
    assert [labels[code] for code in there] == column
    assert [labels[code] for code in back] == column[::-1]


@given(st.lists(st.integers(0, 9), min_size=1), st.sampled_from([10, 10**6]))
def test_distinct_codes_are_counted_alike_in_a_small_and_a_large_range(codes, size):
    present, inverse, counts = distinct_codes(np.array(codes), size)
    assert present[inverse].tolist() == codes
    assert dict(zip(present.tolist(), counts, strict=True)) == {code: codes.count(code) for code in codes}


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1))
def test_distinct_rows_can_be_read_back(rows):
    distinct, inverse, counts = distinct_rows(*zip(*rows, strict=True))
    assert [tuple(row) for row in distinct[inverse]] == rows
    assert counts.sum() == len(rows)
    assert len(distinct) == len(set(rows))


@pytest.mark.parametrize(("codes", "size"), [(3, 2), (50, 4), (50, 4000), (5000, 3)])
def test_sums_by_a_code_equal_adding_one_by_one(codes, size):
    rng = np.random.default_rng(codes)
    code, weights = rng.integers(0, size, size=codes), rng.integers(0, 5, size=(4, codes)).astype(float)
    expected = [np.bincount(code, row, minlength=size).tolist() for row in weights]
    assert GroupedSums(code, size)(weights).tolist() == expected
