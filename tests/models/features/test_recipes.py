"""What every recipe shares: lessons, rows of terms beside numbers, values that come back."""

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
    """One item a word: its letters are terms, its length a number."""

    def channels(self) -> Mapping[str, Terms]:
        return {"letters": list}

    def items(self, example: Example) -> list[str]:
        return list(example.inputs["words"])

    def numbers(self, items: Sequence[str]) -> Floats | None:
        return np.array([[float(len(item))] for item in items])


def test_every_item_of_an_example_is_taught_its_target() -> None:
    assert Letters().lessons(Example("1", {"words": ["ab", "c"]}, "x")) == [("ab", "x"), ("c", "x")]


def test_numbers_stand_in_the_columns_after_the_terms() -> None:
    encoder = Encoder(Letters(), cap=10)
    rows = encoder.fit(["a", "bbb"]).toarray()
    assert rows.tolist() == [[1, 0, -0.5], [0, 1, 0.5]]
    assert encoder.transform(["bbb"]).toarray().tolist() == [[0, 1, 0.5]]


def test_an_encoder_caps_the_terms_of_each_channel() -> None:
    assert Encoder(Letters(), cap=1).fit(["ab", "a"]).shape == (2, 2)


def test_values_recur_if_they_come_back_often_on_average() -> None:
    assert recurring(["a"] * OFTEN)
    assert not recurring(["a"] * (OFTEN - 1))
    assert not recurring([*["a"] * OFTEN, "b"])
    assert not recurring([])


def test_a_regression_of_pairs_takes_the_pairs_recipe_and_one_of_texts_the_texts() -> None:
    assert type(make_recipe(POCKET.tasks["paraphrase-sv"])) is PairRecipe
    assert type(make_recipe(load_suite("superlim").tasks["absabank-imm"])) is TextRecipe


def test_no_recipe_answers_summaries_or_analogies() -> None:
    assert make_recipe(POCKET.tasks["summaries-eu"]) is None
    assert make_recipe(POCKET.tasks["analogy-sv"]) is None
