"""Features of a word in two texts, and of two words without context."""

import pytest

from gluepot.models.features.recipes import OFTEN
from gluepot.models.features.words import Use, Uses, WordInContextRecipe, WordPairRecipe, crossed, forms, mark, near, shared
from gluepot.records import Example


def example(text: str, pair: str, form: str, other: str, **more: str) -> Example:
    start, second = text.index(form), pair.index(other)
    places = {"start": start, "end": start + len(form), "pair-start": second, "pair-end": second + len(other)}
    return Example("1", {"text": text, "pair": pair, **places, **more}, "same")


BANK = example("Han satt vid en bank.", "En bankar lånar ut", "bank", "bankar")


def uses() -> Uses:
    return WordInContextRecipe().items(BANK)[0]


def test_use_is_split_at_its_position() -> None:
    assert mark("Lim och lim", 8, 11) == Use(["lim", "och"], "lim", [])
    assert Use(["a", "b"], "x", ["c", "d"]).around(1) == ["b", "c"]


def test_the_word_is_the_declared_one_or_else_the_first_form() -> None:
    assert uses().word == "bank"
    declared = example("Två bankar", "En bank", "bankar", "bank", word="Bank")
    assert WordInContextRecipe().items(declared)[0].word == "bank"


def test_words_that_do_not_recur_have_no_terms_of_their_own() -> None:
    recipe = WordInContextRecipe()
    recipe.learn([BANK])
    assert set(recipe.channels()) == {"shared"}
    recipe.learn([BANK] * OFTEN)
    assert set(recipe.channels()) == {"shared", "near", "forms", "crossed"}


def test_shared_stems_are_marked_with_their_window() -> None:
    both = Uses("x", Use(["långt", "a", "b", "c", "d", "e"], "x", ["nära"]), Use(["långt", "f", "g", "h", "i", "j"], "x", ["nära"]))
    assert list(shared(both)) == ["100långt", "100nära", "5nära"]


def test_neighbours_are_marked_with_their_side() -> None:
    assert list(near(Uses("x", Use(["a"], "x", ["b"]), Use([], "x", ["c"])))) == ["<a", ">b", "a", "b", ">c", "c"]


def test_endings_of_the_two_forms_are_combined_in_any_order() -> None:
    turned = Uses(uses().word, uses().second, uses().first)
    assert "nk|ar" in forms(uses())
    assert list(forms(turned)) == list(forms(uses()))


def test_stem_near_both_uses_gets_an_additional_crossed_term() -> None:
    both = Uses("bank", Use(["en"], "bank", []), Use(["en", "stor"], "bank", []))
    assert list(crossed(both)) == ["bank|en", "bank|en", "bank|stor", "bank=en"]


def test_equal_contexts_have_similarity_one() -> None:
    same = example("Vid en bank satt han", "Vid en bank satt han", "bank", "bank")
    recipe = WordInContextRecipe()
    recipe.learn([same, BANK])
    alike, other = recipe.numbers([*recipe.items(same), *recipe.items(BANK)])
    assert alike[:12] == pytest.approx(1)
    assert alike[12:22] == pytest.approx(1)
    assert other[12] == 0  # its forms differ
    assert other[0] < 1


def test_two_words_are_compared_by_their_letters() -> None:
    recipe = WordPairRecipe()
    pairs = [Example(str(n), {"first": first, "second": second}) for n, (first, second) in enumerate([("Etxe", "etxea"), ("ur", "lore")])]
    recipe.learn(pairs)
    (alike,), (other,) = (recipe.items(pair) for pair in pairs)
    assert alike == ("etxe", "etxea")
    numbers = recipe.numbers([alike, other])
    assert numbers[0, 3] > numbers[1, 3] == 0
    assert numbers[0, 4] == pytest.approx(8 / 9)
    assert numbers[:, 5:].tolist() == [[1, 1, 0, 1, 9], [0.5, 0, 0, 2, 6]]


def test_two_words_endings_are_terms_alone_and_together() -> None:
    assert list(WordPairRecipe().channels()["endings"](("ur", "lore"))) == ["~r", "~e", "~re", "~ore", "ur|re"]
