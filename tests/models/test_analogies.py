"""Blockwise 3CosAdd gives the answers of gensim's `most_similar`, independently of the batch."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.models.embeddings import analogies
from gluepot.models.embeddings.analogies import Questions, solve, unit_rows

WORDS, DIMENSIONS = 400, 12


def clustered(seed: int) -> np.ndarray:
    """Return vectors whose second half repeats the first, shifted, so that questions have clear answers."""
    generator = np.random.default_rng(seed)
    half = generator.normal(size=(WORDS // 2, DIMENSIONS))
    return np.vstack((half, half + 3 * generator.normal(size=DIMENSIONS) + 0.1 * generator.normal(size=half.shape))).astype(np.float32)


def asked(matrix: np.ndarray, roles: np.ndarray) -> Questions:
    return Questions(matrix[:100], np.arange(100), roles)


def keyed(matrix: np.ndarray) -> Any:
    vectors = pytest.importorskip("gensim.models").KeyedVectors(matrix.shape[1])
    vectors.add_vectors([str(row) for row in range(len(matrix))], matrix)
    return vectors


def gensim_answers(vectors: Any, roles: np.ndarray) -> list[int]:
    ask = vectors.most_similar
    return [int(ask(positive=[str(b), str(c)], negative=[str(a)], topn=1)[0][0]) for a, b, c in roles.T.tolist()]


@pytest.fixture(params=[7, 64, 8192])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analogies, "BLOCK", request.param)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("seed", range(3))
def test_answers_equal_gensims(seed: int) -> None:
    matrix = clustered(seed)
    roles = np.random.default_rng(seed).integers(0, 100, (3, 200))  # words may repeat within a question
    assert solve(matrix, asked(matrix, roles)).tolist() == gensim_answers(keyed(matrix), roles)


@pytest.mark.usefixtures("block")
def test_ties_are_resolved_as_gensim_does() -> None:
    matrix = clustered(0)
    matrix[200:] = matrix[100:300]  # every answer has a twin
    roles = np.random.default_rng(1).integers(0, 100, (3, 200))
    assert solve(matrix, asked(matrix, roles)).tolist() == gensim_answers(keyed(matrix), roles)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 59), min_size=1, max_size=30))
def test_answers_are_independent_of_the_batch(seed: int, numbers: list[int]) -> None:
    matrix = clustered(seed)
    roles = np.random.default_rng(seed).integers(0, 100, (3, 60))
    whole = solve(matrix, asked(matrix, roles))
    assert solve(matrix, asked(matrix, roles[:, numbers])).tolist() == whole[numbers].tolist()


def test_query_words_and_words_without_a_vector_are_never_answers() -> None:
    matrix = np.array([[1, 0], [1, 0.1], [1, 0.2], [0, 0], [-1, 0]], np.float32)
    questions = Questions(matrix[:3], np.arange(3), np.array([[0], [1], [2]]))
    assert solve(matrix, questions).tolist() == [4]


def test_a_vocabulary_of_query_words_has_no_answer() -> None:
    matrix = np.eye(3, dtype=np.float32)
    assert solve(matrix, Questions(matrix, np.arange(3), np.array([[0], [1], [2]]))).tolist() == [-1]


def test_a_query_word_outside_the_vocabulary_excludes_nothing() -> None:
    matrix = np.eye(3, dtype=np.float32)
    questions = Questions(matrix, np.array([-1, -1, -1]), np.array([[0], [1], [1]]))
    assert solve(matrix, questions).tolist() == [1]


def test_unit_rows_have_norm_one_and_zero_rows_stay_zero() -> None:
    assert unit_rows(np.array([[3, 4], [0, 0]], np.float32)).tolist() == [[0.6000000238418579, 0.800000011920929], [0, 0]]
