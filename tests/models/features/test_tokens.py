"""Features of tokens in their sentence."""

import pytest

from gluepot.models.features.tokens import TokenRecipe, sentence_features, shape, word_features
from gluepot.records import Example


def test_each_token_is_an_item_with_its_own_tag() -> None:
    example = Example("1", {"tokens": ["Bilbon", "dago"]}, ("B-LOC", "O"))
    lessons = TokenRecipe().lessons(example)
    assert [(at, tag) for (_, at), tag in lessons] == [(0, "B-LOC"), (1, "O")]


def test_rejects_a_sentence_with_fewer_tags_than_tokens() -> None:
    with pytest.raises(ValueError, match="shorter"):
        TokenRecipe().lessons(Example("1", {"tokens": ["Bilbon", "dago"]}, ("O",)))


def test_shape_truncates_runs_and_keeps_punctuation() -> None:
    assert [shape(word) for word in ("EAJ", "eAj", "2,50", "a", "")] == ["XX", "xXx", "d,dd", "x", ""]


def test_word_features_include_affixes_and_traits() -> None:
    assert word_features("Ane") == ("w=ane", "s=Xxx", "a-", "-e", "an-", "-ne", "title")
    assert word_features("bi-ko")[-1] == "hyphen"
    assert word_features("ETA")[-1] == "upper"
    assert word_features("12")[-1] == "digit"
    assert word_features(".") == ("w=.", "s=.", "mark")


def test_distant_neighbours_have_only_word_and_shape() -> None:
    features = sentence_features(["a", "bb", "cc", "dd", "ee"])[2]
    assert [feature for feature in features if feature.startswith("-2")] == ["-2w=a", "-2s=x"]
    assert [feature for feature in features if feature.startswith("1")] == ["1w=dd", "1s=xx", "1d-", "1-d"]


def test_the_ends_of_a_sentence_are_marked() -> None:
    only = sentence_features(["Lim"])[0]
    assert [feature for feature in only if "edge" in feature] == ["-2edge", "2edge", "-1edge", "1edge"]
    assert only[-3:] == ["<^|Xxx", ">Xxx|$", "<>^|Xxx|$"]


def test_recipe_features_equal_sentence_features() -> None:
    recipe, tokens = TokenRecipe(), ["Bilbon", "dago"]
    window = recipe.channels()["window"]
    assert [window(item) for item in recipe.items(Example("1", {"tokens": tokens}))] == sentence_features(tokens)


def test_features_of_a_repeated_word_are_the_same_string_objects() -> None:
    """This more than halves the memory taken by the features of a long text."""
    first, again = (sentence_features(["Bilbon", "dago", "Ane", "gaur"])[1] for _ in range(2))
    assert first == again
    assert all(one is other for one, other in zip(first, again, strict=True))
