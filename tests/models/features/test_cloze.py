"""Features of candidate entities for a gap."""

import pytest

from gluepot.models.features.cloze import ClozeRecipe, GapCandidate, agreement, entities
from gluepot.records import Example

CONTEXT = "Анна живёт в Москве. Москва большая. Пётр уехал."
QUERY = Example("1", {"context": CONTEXT, "text": "Анна любит @placeholder и парк", "options": ["Москве", "Пётр", "Москве"]}, "Москве")


@pytest.fixture
def recipe() -> ClozeRecipe:
    found = ClozeRecipe()
    found.learn([QUERY])
    return found


@pytest.fixture
def items(recipe: ClozeRecipe) -> list[GapCandidate]:
    return recipe.items(QUERY)


def test_entity_listed_twice_is_one_item(recipe: ClozeRecipe, items: list[GapCandidate]) -> None:
    assert entities(QUERY) == ["Москве", "Пётр"]
    assert [right for _, right in recipe.lessons(QUERY)] == [True, False]
    assert [(item.number, item.of) for item in items] == [(0, 2), (1, 2)]


def test_any_of_several_gold_entities_is_right(recipe: ClozeRecipe) -> None:
    assert [right for _, right in recipe.lessons(Example("1", QUERY.inputs, ("Пётр", "Москве")))] == [True, True]


def test_the_query_has_the_entity_in_its_gap(items: list[GapCandidate]) -> None:
    assert items[0].query == ["анна", "любит", "москве", "и", "парк"]


def test_sentences_mention_an_entity_in_any_grammatical_case(items: list[GapCandidate]) -> None:
    assert [sentence[0] for sentence in items[0].named_in] == ["анна", "москва"]
    assert [sentence[0] for sentence in items[1].named_in] == ["пётр"]


def test_an_entity_agrees_with_the_word_before_the_gap_and_the_words_after_it(items: list[GapCandidate]) -> None:
    terms = set(agreement(items[0]))
    assert {"~е", "~ве", "~кве", "любит_~ве", "~е_~к", "~ве_~рк"} <= terms
    assert not any("анна" in term for term in terms)


def test_numbers_include_frequency_and_first_position_of_an_entity(recipe: ClozeRecipe, items: list[GapCandidate]) -> None:
    numbers = recipe.numbers(items)
    often, share, first = numbers[:, 8], numbers[:, 9], numbers[:, 10]
    assert share.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert first.tolist() == pytest.approx([0, 2 / 3])
    assert often[0] > often[1]


def test_the_words_after_a_name_are_compared_with_those_after_the_gap(recipe: ClozeRecipe) -> None:
    context = "Анна ушла домой. Пётр варит клей весь день."
    query = Example("3", {"context": context, "text": "Весь день @placeholder варит клей", "options": ["Анна", "Пётр"]})
    around = recipe.numbers(recipe.items(query))[:, 15]
    assert around.tolist() == pytest.approx([0, 2 * 2 / 7])  # two of two words after the gap, two of five after the name


def test_entity_is_compared_by_the_sentence_most_similar_to_the_query(recipe: ClozeRecipe) -> None:
    query = Example("4", {"context": "Анна ушла. Анна варит клей.", "text": "@placeholder варит клей", "options": ["Анна"]})
    other = Example("5", {**query.inputs, "context": "Анна ушла. Анна спит."})
    recipe.learn([query, other])
    nearest = [recipe.numbers(recipe.items(example))[0, 4] for example in (query, other)]
    assert nearest[0] > nearest[1]


def test_entity_missing_from_the_passage_has_the_position_after_its_end(recipe: ClozeRecipe) -> None:
    stranger = recipe.items(Example("2", {**QUERY.inputs, "options": ["Казань"]}))
    numbers = recipe.numbers(stranger)
    assert stranger[0].named_in == []
    assert numbers[0, 8:11].tolist() == [0, 0, 1]
