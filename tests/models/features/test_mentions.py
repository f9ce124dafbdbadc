"""Two spans of one text that may mean the same."""

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


def test_the_text_is_cut_before_between_and_after_the_spans(item: Mentions) -> None:
    assert item.before == ["hier", "kam"]
    assert item.between == [",", "als"]
    assert item.after == ["brot", "kaufte", "."]
    assert item.capitals == (True, False)
    assert item.forward


def test_the_text_is_cut_the_same_when_the_second_span_stands_first(item: Mentions) -> None:
    turned = CoreferenceRecipe().items(example("sie", "Anna"))[0]
    assert (turned.before, turned.between, turned.after) == (item.before, item.between, item.after)
    assert (turned.first, turned.second) == (["sie"], ["anna"])
    assert not turned.forward


def test_stems_are_marked_with_their_span_and_with_being_in_both() -> None:
    item = Mentions(["die", "annas"], ["annas"], (False, False), True, [], [], [])
    assert list(spans(item)) == ["1die", "1annas", "2annas", "=annas"]


def test_endings_of_the_last_words_stand_together(item: Mentions) -> None:
    terms = list(agreement(item))
    assert "~a|~e" in terms
    assert "anna|~ie" in terms
    assert "~na|sie" in terms
    assert len(terms) == 3 * 2 + 2 + 3


def test_neighbours_and_punctuation_on_the_way_are_marked_with_their_place(item: Mentions) -> None:
    assert list(around(item)) == ["<kam", "[,", "]als", ">brot", ">kauft", "-,"]


def test_numbers_see_distance_commas_and_what_the_spans_share(item: Mentions) -> None:
    same = Mentions(["anna"], ["anna"], (True, True), True, [], [".", "und"], [])
    numbers = CoreferenceRecipe().numbers([item, same])
    commas, sentences, shared = numbers[:, 3], numbers[:, 2], numbers[:, 11]
    assert commas.tolist() == [1, 0]
    assert sentences.tolist() == [0, 1]
    assert shared.tolist() == [0, 1]


def test_numbers_see_a_span_that_was_named_before() -> None:
    item = Mentions(["sie"], ["anna"], (False, True), True, ["anna", "kam"], [], [])
    second_before, first_before = CoreferenceRecipe().numbers([item])[0, -2:]
    assert (second_before, first_before) == (1, 0)
