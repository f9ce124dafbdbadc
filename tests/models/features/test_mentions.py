"""Features of two possibly coreferent spans of a text."""

import pytest

from gluepot.models.features.mentions import CoreferenceRecipe, Mentions, agreement, around, spans
from gluepot.records import Example

TEXT = "Hier kam Anna, als sie Brot kaufte."


def example(first: str, second: str) -> Example:
    places = {
        f"{name}-{end}": TEXT.index(span) + shift
        for name, span in (("first", first), ("second", second))
        for end, shift in (("start", 0), ("end", len(span)))
    }
    return Example("1", {"text": TEXT, "first": first, "second": second, **places})


@pytest.fixture
def item() -> Mentions:
    return CoreferenceRecipe().items(example("Anna", "sie"))[0]


def test_text_is_split_before_between_and_after_the_spans(item: Mentions) -> None:
    assert item.before == ["hier", "kam"]
    assert item.between == [",", "als"]
    assert item.after == ["brot", "kaufte", "."]
    assert item.capitals == (True, False)
    assert item.forward


def test_text_is_split_the_same_when_the_second_span_comes_first(item: Mentions) -> None:
    turned = CoreferenceRecipe().items(example("sie", "Anna"))[0]
    assert (turned.before, turned.between, turned.after) == (item.before, item.between, item.after)
    assert (turned.first, turned.second) == (["sie"], ["anna"])
    assert not turned.forward


def test_stems_are_marked_as_first_second_or_common() -> None:
    item = Mentions(["die", "annas"], ["annas"], (False, False), True, [], [], [])
    assert list(spans(item)) == ["1die", "1annas", "2annas", "=annas"]


def test_endings_of_the_last_words_are_combined(item: Mentions) -> None:
    terms = list(agreement(item))
    assert "~a|~e" in terms
    assert "anna|~ie" in terms
    assert "~na|sie" in terms
    assert len(terms) == 3 * 2 + 2 + 3


def test_adjacent_words_and_punctuation_between_are_marked_with_their_position(item: Mentions) -> None:
    assert list(around(item)) == ["<kam", "[,", "]als", ">brot", ">kauft", "-,"]


def test_numbers_include_sentences_commas_and_common_stems(item: Mentions) -> None:
    same = Mentions(["anna"], ["anna"], (True, True), True, [], [".", "und"], [])
    numbers = CoreferenceRecipe().numbers([item, same])
    commas, sentences, shared = numbers[:, 3], numbers[:, 2], numbers[:, 11]
    assert commas.tolist() == [1, 0]
    assert sentences.tolist() == [0, 1]
    assert shared.tolist() == [0, 1]


def test_numbers_include_earlier_mentions_of_a_span() -> None:
    item = Mentions(["sie"], ["anna"], (False, True), True, ["anna", "kam"], [], [])
    second_before, first_before = CoreferenceRecipe().numbers([item])[0, -2:]
    assert (second_before, first_before) == (1, 0)
