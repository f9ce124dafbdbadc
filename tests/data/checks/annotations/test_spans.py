"""Checks of marked spans and answers whose offsets do not match their text."""

from typing import Any

import pytest
from tests.data.checks.making import LONG, SENSES, Check, Rows

from gluepot.data.checks import Finding


def sense(start: int, end: int, text: str = "En banan låg kvar.") -> dict[str, Any]:
    return {"s1": text, "b1": start, "e1": end, "s2": "Två bananer till.", "b2": 4, "e2": 11, "word": "banan", "label": "same"}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (sense(3, 8), None),
        (sense(3, 80), "span-range"),
        (sense(-2, 8), "span-range"),
        (sense(8, 3), "span-range"),
        (sense(3, 3), "span-empty"),
        (sense(3, 9), "span-space"),
        (sense(2, 8), "span-space"),
        (sense(3, 7), "span-cut"),
        (sense(4, 8), "span-cut"),
        (sense(5, 8, "Du, kniv och banan!"), "span-cut"),
        (sense(4, 8, "Du, kniv och banan!"), "span-mismatch"),
        (sense(3, 9, "En banan, mogen."), "span-punctuation"),
    ],
)
def test_check_finds_spans_that_do_not_match_their_text(look: Check, row: dict[str, Any], code: str | None) -> None:
    found = look(*SENSES, {"test": [row]}, labels=["same"])
    assert code in found if code else found == {}


def test_check_finds_a_span_that_does_not_match_the_words_of_its_record(look: Check) -> None:
    fields = {"text": "text", "first": "pronoun.text", "first-start": "pronoun.at.start", "first-end": "pronoun.at.stop", "target": "label"}
    fields |= {"second": "name.text", "second-start": "name.at.start", "second-end": "name.at.stop"}
    row = {"text": "Kim sa att hen sov.", "pronoun": {"text": "hen", "at": {"start": 11, "stop": 14}}, "label": "true"}
    good, bad = ({**row, "name": {"text": "Kim", "at": {"start": start, "stop": start + 3}}} for start in (0, 15))
    assert look("coreference", fields, {"test": [good]}, labels=["true", "false"]).keys() == {"unused-label"}
    assert look("coreference", fields, {"test": [bad]}, labels=["true", "false"])["span-mismatch"].count == 1


def word_spans(*indices: tuple[int, int]) -> Rows:
    target = {"span1_text": "Kim", "span2_text": "hen"}
    texts = [f"Kim sa att hen sov länge {i}." for i in range(len(indices))]
    return [
        {"text": text, "label": "true", "target": {**target, "span1_index": a, "span2_index": b}}
        for text, (a, b) in zip(texts, indices, strict=True)
    ]


def look_at_word_spans(look: Check, rows: Rows) -> dict[str, Finding]:
    fields = {"text": "text", "first": "span1", "first-start": "span1_start", "first-end": "span1_end", "target": "label"}
    fields |= {"second": "span2", "second-start": "span2_start", "second-end": "span2_end"}
    return look("coreference", fields, {"test": rows}, labels=["true"], reader="word-spans")


def test_check_reports_1_based_word_indices(look: Check) -> None:
    assert look_at_word_spans(look, word_spans((0, 3), (0, 3))) == {}
    found = look_at_word_spans(look, word_spans((0, 4), (0, 4)))
    assert found.keys() == {"span-index"}
    assert "span2_index is 1-based in all 2 rows" in found["span-index"].message


def test_check_finds_a_word_index_that_is_wrong_in_some_rows(look: Check) -> None:
    found = look_at_word_spans(look, word_spans((0, 3), (0, 1), (0, 3)))
    assert '1 of 3 rows without span2_text at span2_index: row 2 "hen", word 1 is "sa"' in found["span-mismatch"].message


def test_check_finds_an_answer_that_is_not_at_its_offset(look: Check) -> None:
    fields = {"context": "context", "text": "question", "target": "answers.text", "answer-start": "answers.start"}
    row = {"context": LONG, "question": "Var satt katten?"}
    good = [
        {**row, "answers": {"text": ["mattan"], "start": [LONG.index("mattan")]}},
        {**row, "question": "Vem?", "answers": {"text": [""], "start": [0]}},
    ]
    assert look("span-answer", fields, {"test": good}) == {}
    assert look("span-answer", fields, {"test": [{**row, "answers": {"text": ["mattan"], "start": [3]}}]})["span-mismatch"].count == 1
