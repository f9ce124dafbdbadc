"""Similarity of two texts."""

import pytest

from gluepot.models.features import likeness
from gluepot.models.features.likeness import TermSimilarity, letters, overlaps, shares

KNOWN = [["varmt", "lim"], ["kall", "kola"], ["limmet", "kokar"]]


@pytest.fixture
def fitted() -> TermSimilarity:
    found = TermSimilarity()
    found.fit(KNOWN)
    return found


def test_cosine_is_one_for_equal_texts_and_zero_for_disjoint_ones(fitted: TermSimilarity) -> None:
    same, other = fitted.cosines([KNOWN[0], KNOWN[0]], [list(KNOWN[0]), KNOWN[1]])
    assert same == pytest.approx([1, 1, 1, 1])
    assert other.tolist() == [0, 0, 0, 0]


def test_inflected_words_are_similar_by_letters_but_not_by_words(fitted: TermSimilarity) -> None:
    by_word, by_stem, by_beginning, by_letters = fitted.cosines([["lim"]], [["limmet"]])[0]
    assert (by_word, by_stem) == (0, 0)
    assert 0 < by_beginning < 1
    assert 0 < by_letters < 1


def test_repeated_list_gets_the_cosines_of_each_partner(fitted: TermSimilarity) -> None:
    passage = KNOWN[0]
    found = fitted.cosines([passage, passage], [["kall"], ["lim"]])
    assert found[0, 0] == 0
    assert found[1, 0] > 0


def test_batched_comparison_gives_the_same_result(fitted: TermSimilarity, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = KNOWN * 2, KNOWN[::-1] * 2
    at_once = fitted.cosines(left, right)
    monkeypatch.setattr(likeness, "AT_ONCE", 4)
    assert (fitted.cosines(left, right) == at_once).all()
    assert fitted.cosines([], []).shape == (0, 4)


def test_term_weights_of_many_texts_come_from_an_evenly_spaced_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "ENOUGH", 2)
    found = TermSimilarity()
    found.fit([["a"], ["b"], ["c"]])
    assert set(found.channels[0].columns) == {"a", "c"}


def test_letters_of_a_one_letter_word_include_its_boundaries() -> None:
    assert letters(["i"]) == [" i "]


def test_shares_are_relative_to_the_union_the_first_and_the_second_set() -> None:
    assert shares({"a", "b"}, {"b", "c", "d", "e"}) == [1 / 5, 1 / 2, 1 / 4]
    assert shares(set(), set()) == [0, 0, 0]


def test_overlaps_of_equal_texts_are_one_with_no_length_difference() -> None:
    assert overlaps(["kl", "9"], ["kl", "9"]) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1]


def test_overlaps_reflect_order_length_and_numbers() -> None:
    *_, order, tokens, bag, longer, apart, numbers = overlaps(["a", "b", "1"], ["b", "a"])
    assert order < 1
    assert tokens == pytest.approx(2 * 1 / 5)
    assert bag > order
    assert longer == apart == pytest.approx(1 / 4)
    assert numbers == 0
