"""Rows of terms and numbers against values computed by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from gluepot.models.features.matrix import LARGEST_NUMBER, NumberScaler, TermChannel, products, stack

TEXTS = [["lim", "lim", "kola"], ["kola"], []]


def test_row_is_log_frequency_times_idf_with_norm_one() -> None:
    channel = TermChannel(list)
    rows = channel.fit(TEXTS).toarray()
    lim, kola = np.log(4 / 2) + 1, np.log(4 / 3) + 1
    raw = np.array([(1 + np.log(2)) * lim, kola])
    assert channel.columns == {"lim": 0, "kola": 1}
    assert rows[0] == pytest.approx(raw / np.linalg.norm(raw))
    assert rows[1].tolist() == [0, 1]


def test_an_item_without_known_terms_is_a_row_of_zeros() -> None:
    channel = TermChannel(list)
    assert channel.fit(TEXTS).toarray()[2].tolist() == [0, 0]
    assert channel.transform([["okänd"]]).toarray().tolist() == [[0, 0]]


def test_capped_vocabulary_keeps_the_terms_of_most_items() -> None:
    channel = TermChannel(list, cap=1)
    rows = channel.fit([["en", "en", "en", "två"], ["två"], ["två", "tre"]])
    assert list(channel.columns) == ["två"]
    assert rows.toarray().tolist() == [[1], [1], [1]]


def test_transform_equals_fit_for_all_rows_and_for_one() -> None:
    channel = TermChannel(list)
    fitted = channel.fit(TEXTS)
    assert (channel.transform(TEXTS) != fitted).nnz == 0
    assert (channel.transform(TEXTS[:1]) != fitted[0]).nnz == 0


def test_plain_terms_are_binary() -> None:
    assert TermChannel(list, plain=True).fit(TEXTS).toarray().tolist() == [[1, 1], [0, 1], [0, 0]]


def test_numbers_are_scaled_to_mean_zero_and_the_weight() -> None:
    scaled = NumberScaler(weight=0.5).fit(np.array([[1.0], [3.0]])).toarray()
    assert scaled.ravel().tolist() == [-0.5, 0.5]


def test_constant_column_is_zero_and_outliers_are_clipped() -> None:
    numbers = NumberScaler(weight=1.0)
    assert numbers.fit(np.array([[7.0, 0.0], [7.0, 2.0]])).toarray()[:, 0].tolist() == [0, 0]
    assert numbers.transform(np.array([[7.0, 1_000.0]])).toarray().tolist() == [[0, LARGEST_NUMBER]]


def test_stack_concatenates_columns() -> None:
    left, right = csr_matrix([[1.0, 0.0], [0.0, 2.0]]), csr_matrix([[3.0], [0.0]])
    assert stack([left, right]).toarray().tolist() == [[1, 0, 3], [0, 2, 0]]


def test_products_are_taken_row_by_row() -> None:
    left, right = csr_matrix([[1.0, 2.0], [0.0, 0.0], [1.0, 0.0]]), csr_matrix([[3.0, 4.0], [1.0, 1.0], [0.0, 1.0]])
    assert products(left, right).tolist() == [11, 0, 0]
