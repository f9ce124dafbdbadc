"""Conditional random field: it learns tags and their transitions."""

import pytest

from gluepot.models import ADAPTERS, CannotSolve
from gluepot.models.baselines.crf import Crf
from gluepot.records import Example
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
TAGS = POCKET.tasks["entities-da"]


def example(words: str, tags: str) -> Example:
    return Example(words, {"tokens": words.split()}, tuple(tags.split()))


TRAIN = [example("Ole bor i Ribe", "B-PER O O B-LOC"), example("Per bor i Skive", "B-PER O O B-LOC"), example("de bor her", "O O O")] * 3


def fitted(seed: int = 0) -> Crf:
    crf = Crf("crf", "", seed)
    crf.fit(TAGS, TRAIN, [])
    return crf


def test_unknown_name_is_tagged_by_its_context() -> None:
    found = fitted().predict(TAGS, [Example("1", {"tokens": ["Ida", "bor", "i", "Brande"]})])
    assert found[0].output == ["B-PER", "O", "O", "B-LOC"]


def test_every_token_gets_a_learned_tag() -> None:
    found = fitted().predict(TAGS, [Example("1", {"tokens": ["?"] * 7}), Example("2", {"tokens": ["Ole"]})])
    assert [len(prediction.output) for prediction in found] == [7, 1]
    assert {tag for prediction in found for tag in prediction.output} <= {"O", "B-PER", "B-LOC"}


def test_seed_has_no_effect_and_the_adapter_is_declared_unseeded() -> None:
    assert fitted(0).model == fitted(1).model
    assert not ADAPTERS["crf"].seeded


def test_refitting_replaces_the_model() -> None:
    crf = fitted()
    asked = [Example("1", {"tokens": ["Ole"]})]
    assert crf.predict(TAGS, asked)[0].output == ["B-PER"]
    crf.fit(TAGS, [example("Ole", "B-ORG"), example("bor", "O")], [])
    assert crf.predict(TAGS, asked)[0].output == ["B-ORG"]


def test_other_task_kinds_and_missing_training_data_are_refused() -> None:
    with pytest.raises(CannotSolve, match="pocket/stance-sv is a task of the kind classification"):
        Crf("crf", "", 0).fit(POCKET.tasks["stance-sv"], TRAIN, [])
    with pytest.raises(CannotSolve, match="pocket/entities-da has no training data"):
        Crf("crf", "", 0).fit(TAGS, [Example("1", {"tokens": ["Ole"]})], [])
