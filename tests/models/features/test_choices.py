"""Features of options relative to their question, their passage and each other."""

import numpy as np
import pytest

from gluepot.models.features.choices import OptionItem, OptionRecipe, beside_others, found_in, nearest_sentence, read_passage, shared
from gluepot.records import Example

PASSAGE = "Limmet kokar i grytan. Kolan är kall."
QUESTION = Example("1", {"text": "Vad kokar?", "options": ["Limmet", "Kolan"], "context": PASSAGE}, 0)


@pytest.fixture
def recipe() -> OptionRecipe:
    found = OptionRecipe()
    found.learn([QUESTION])
    return found


def test_each_option_is_an_item_and_only_the_gold_one_is_positive(recipe: OptionRecipe) -> None:
    assert [(item.words, item.number, right) for item, right in recipe.lessons(QUESTION)] == [(["limmet"], 0, True), (["kolan"], 1, False)]


def test_several_options_may_be_right(recipe: OptionRecipe) -> None:
    both = Example("1", QUESTION.inputs, frozenset({0, 1}))
    assert [right for _, right in recipe.lessons(both)] == [True, True]


def test_an_item_may_have_no_passage(recipe: OptionRecipe) -> None:
    items = recipe.items(Example("2", {"text": "Vad?", "options": ["Lim", "Kola"]}))
    assert items[0].passage.sentences == []
    assert nearest_sentence(items[0]) == []
    assert np.isfinite(recipe.numbers(items)).all()


def test_option_in_the_sentence_of_the_question_is_closer_to_its_nearest_sentence(recipe: OptionRecipe) -> None:
    right, wrong = recipe.items(QUESTION)
    assert nearest_sentence(right) == ["limmet", "kokar", "i", "grytan", "."]
    with_nearest_sentence = recipe.numbers([right, wrong])[:, 24:28]
    assert (with_nearest_sentence[0] > with_nearest_sentence[1]).all()


def test_numbers_come_with_their_difference_from_the_mean_of_the_example() -> None:
    own = np.array([[1.0], [3.0], [10.0]])
    assert beside_others(own, [0, 1, 0]).tolist() == [[1, -1], [3, 1], [10, 0]]


def test_found_in_counts_words_pairs_and_the_whole() -> None:
    text = ["det", "varma", "limmet", "kokar"]
    assert found_in(["varma", "limmet"], text) == [1, 1, 1]
    assert found_in(["limmet", "varma"], text) == [1, 0, 0]
    assert found_in(["varmast", "limmet", "luktar"], text) == [2 / 3, 1 / 2, 0]
    assert found_in(["kokar"], text) == [1, 1, 1]
    assert found_in([], text) == [0, 0, 0]


def test_part_of_a_word_does_not_match_the_word() -> None:
    assert found_in(["lim"], ["limmet"]) == [0, 0, 0]


def test_stems_shared_with_the_question_are_marked_differently_from_others() -> None:
    option = OptionItem(["kokande", "lim"], ["vad", "kokar"], read_passage(""), 0)
    assert list(shared(option)) == ["+kokan", "+lim"]
    assert list(shared(OptionItem(["vad", "lim"], ["vad", "kokar"], read_passage(""), 0))) == ["=vad", "+lim"]
