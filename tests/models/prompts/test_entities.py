"""Entities in a sentence: every free occurrence is tagged, quickly even in a very long sentence."""

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.models.prompts.entities import as_json, as_tags

WORDS = {"B-PER": "person", "I-PER": "person", "B-LOC": "sted", "I-LOC": "sted", "B-X": "other"}
LONG = 90_000
tokens = st.lists(st.sampled_from("ab"), max_size=12)
names = st.lists(st.lists(st.sampled_from("abc"), max_size=4).map(" ".join), max_size=4)


def plainly(found: dict[str, list[str]], sentence: list[str]) -> list[str]:
    """Tag one position after the other, as a reference."""
    tags = ["O"] * len(sentence)
    for key, entities in found.items():
        first, inner = {"person": ("B-PER", "I-PER"), "sted": ("B-LOC", "I-LOC"), "other": ("B-X", "B-X")}[key]
        for entity in map(str.split, entities):
            for start in range(len(sentence) - len(entity) + 1 if entity else 0):
                end = start + len(entity)
                if sentence[start:end] == entity and set(tags[start:end]) == {"O"}:
                    tags[start:end] = [first, *[inner] * (len(entity) - 1)]
    return tags


@given(st.dictionaries(st.sampled_from(["person", "sted", "other"]), names), tokens)
def test_every_free_occurrence_of_an_entity_is_tagged(found: dict[str, list[str]], sentence: list[str]) -> None:
    assert as_tags(json.dumps(found), sentence, WORDS) == plainly(found, sentence)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ({"person": [f"ord{n}" for n in range(500)]}, [f"ord{n % 700}" for n in range(LONG)]),
        ({"person": [" ".join(["a"] * 30_000)], "sted": [" ".join(["a"] * n) for n in range(1, 40)]}, ["a"] * LONG),
        ({"person": [f"{'a ' * 1000}b"], "sted": ["a"] * 5000}, ["a"] * LONG),
    ],
    ids=["many", "one-word", "nowhere"],
)
def test_sentence_of_ninety_thousand_words_is_tagged_quickly(written: dict[str, list[str]], sentence: list[str]) -> None:
    begun = process_time()
    assert as_tags(json.dumps(written), sentence, WORDS) is not None
    assert process_time() - begun < 2


def test_entity_of_ninety_thousand_words_is_written_quickly() -> None:
    begun = process_time()
    found = as_json(["ord"] * LONG, ["B-PER", *["I-PER"] * (LONG - 1)], WORDS)
    assert process_time() - begun < 1
    assert json.loads(found)["person"] == [" ".join(["ord"] * LONG)]
