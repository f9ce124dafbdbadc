"""Features of text pairs, and of texts about a few topics."""

import pytest

from gluepot.models.features.pairs import Pair, PairRecipe, crossed, differing
from gluepot.models.features.recipes import OFTEN
from gluepot.records import Example


def example(text: str, pair: str) -> Example:
    return Example("1", {"text": text, "pair": pair}, "x")


@pytest.fixture
def sentences() -> PairRecipe:
    recipe = PairRecipe()
    recipe.learn([example("Lim kokar", "Limmet är varmt"), example("Kola smakar", "Ingen klagar")])
    return recipe


@pytest.fixture
def topics() -> PairRecipe:
    recipe = PairRecipe()
    recipe.learn([example(f"Text {number}", "Abort") for number in range(OFTEN)])
    return recipe


def test_common_terms_are_marked_differently_from_those_of_one_text() -> None:
    assert list(differing(Pair(["lim", "är", "varmt"], ["lim", "är", "inte"]))) == ["=lim", "=är", "-varmt", "+inte"]


def test_sentences_are_compared_by_numbers(sentences: PairRecipe) -> None:
    assert set(sentences.channels()) == {"right", "differing"}
    same, other = (sentences.items(example("Lim kokar", pair))[0] for pair in ("Lim kokar", "Kola smakar"))
    numbers = sentences.numbers([same, other])
    assert numbers is not None
    assert numbers[0, :7] == pytest.approx(1)
    assert numbers[1, :3].tolist() == [0, 0, 0]
    assert 0 < numbers[1, 3] < 0.5  # both end in -kar


def test_the_first_sentence_has_no_terms_of_its_own(sentences: PairRecipe) -> None:
    assert list(sentences.channels()["right"](Pair(["lim"], ["kola"]))) == ["kola"]


def test_a_topic_is_crossed_with_the_text_and_not_compared_with_it(topics: PairRecipe) -> None:
    assert set(topics.channels()) == {"runs", "beginnings", "crossed"}
    item = topics.items(example("Rätt val", "Abort"))[0]
    assert list(topics.channels()["runs"](item)) == ["rätt", "val", "abort", "rätt val", "val abort"]
    assert item == Pair(["rätt", "val"], ["abort"], "Abort")
    assert list(crossed(item)) == ["Abort|rät", "Abort|rätt", "Abort|val"]
    assert topics.numbers([item]) is None


def test_sentence_is_not_a_topic(sentences: PairRecipe) -> None:
    assert sentences.items(example("a", "b"))[0].topic == ""
