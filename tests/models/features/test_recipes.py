"""Behaviour common to all recipes: lessons, rows of terms and numbers, recurring values."""

from collections.abc import Mapping, Sequence

import numpy as np

from gluepot.models.features import make_recipe
from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.pairs import PairRecipe
from gluepot.models.features.recipes import OFTEN, Encoder, Recipe, recurring
from gluepot.models.features.texts import TextRecipe
from gluepot.records import Example
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")


class Letters(Recipe):
    """One item per word, with its letters as terms and its length as a number."""

    def channels(self) -> Mapping[str, Terms]:
        return {"letters": list}

    def items(self, example: Example) -> list[str]:
        return list(example.inputs["words"])

    def numbers(self, items: Sequence[str]) -> Floats | None:
        return np.array([[float(len(item))] for item in items])


def test_every_item_of_an_example_gets_its_target() -> None:
    assert Letters().lessons(Example("1", {"words": ["ab", "c"]}, "x")) == [("ab", "x"), ("c", "x")]


def test_number_columns_follow_the_term_columns() -> None:
    encoder = Encoder(Letters(), cap=10)
    rows = encoder.fit(["a", "bbb"]).toarray()
    assert rows.tolist() == [[1, 0, -0.5], [0, 1, 0.5]]
    assert encoder.transform(["bbb"]).toarray().tolist() == [[0, 1, 0.5]]


def test_an_encoder_caps_the_terms_of_each_channel() -> None:
    assert Encoder(Letters(), cap=1).fit(["ab", "a"]).shape == (2, 2)


def test_values_recur_if_their_mean_frequency_is_high() -> None:
    assert recurring(["a"] * OFTEN)
    assert not recurring(["a"] * (OFTEN - 1))
    assert not recurring([*["a"] * OFTEN, "b"])
    assert not recurring([])


def test_regression_uses_the_recipe_of_pairs_or_of_texts() -> None:
    assert type(make_recipe(POCKET.tasks["paraphrase-sv"])) is PairRecipe
    assert type(make_recipe(load_suite("superlim").tasks["absabank-imm"])) is TextRecipe


def test_summaries_and_analogies_have_no_recipe() -> None:
    assert make_recipe(POCKET.tasks["summaries-eu"]) is None
    assert make_recipe(POCKET.tasks["analogy-sv"]) is None
