"""Checks of sizes, labels, ids, empty texts and duplicate items."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.data.checks.making import CHOICES, CLASSES, CLEAN, JUDGED, LONG, TAGGED, Check, classes, declare

from gluepot.data.checks import check_material, read_material


def test_check_has_no_finding_on_clean_data(look: Check) -> None:
    train = [{"text": "Månen gick upp i öster.", "label": "pro"}, {"text": "Vinden mojnade mot kvällen.", "label": "con"}]
    assert classes(look, train=train, test=CLEAN) == {}


def test_check_compares_a_size_with_the_published_one(data: Path) -> None:
    (data / "val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CLEAN))
    task = declare(*CLASSES, {"val": 8508}, labels=["pro", "con"])
    found = next(f for f in check_material(read_material(task)) if f.code == "size")
    assert str(found) == "own/task val: 2 items, published are 8,508. [size]"
    assert found.count == 8506


def test_check_counts_tokens_where_the_publisher_does(look: Check) -> None:
    rows = [{"tokens": ["Ane", "sov"], "tags": ["B-PER", "O"]}]
    assert look(*TAGGED, {"test": rows}, labels=["O", "B-PER"], counts="tokens")["size"].message == "2 tokens, published are 1."


def test_check_counts_passages_where_the_publisher_does(look: Check) -> None:
    fields = {"context": "passage", "text": "question", "options": "options", "target": "right", "group": "passage_id"}
    row = {"passage": LONG, "passage_id": 1, "options": ["ja", "nej"], "right": [0]}
    rows = [{**row, "question": "Satt katten?"}, {**row, "question": "Var mattan röd?"}]
    assert look("multi-choice", fields, {"test": rows}, counts="passages")["size"].message == "1 passage, published are 2."


def test_check_continues_after_a_malformed_line(data: Path) -> None:
    (data / "test.jsonl").write_text(json.dumps(CLEAN[0]) + '\n{"text": \n')
    task = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])
    found = {f.code: f for f in check_material(read_material(task))}
    assert "test.jsonl:2: not JSON" in found["unreadable"].message
    assert "size" in found


def test_check_survives_records_of_another_shape(look: Check) -> None:
    rows: Any = [["a", "list"], {"tokens": None, "tags": ["O"]}, {"tokens": ["a"], "tags": ["O"]}]
    found = look(*TAGGED, {"test": rows}, labels=["O"])
    assert found["malformed"].count == 2
    assert found["empty-text"].count == 1


def test_check_survives_a_failing_reader(look: Check) -> None:
    fields = {"text": "text", "first": "span1", "first-start": "span1_start", "first-end": "span1_end", "target": "label"}
    fields |= {"second": "span2", "second-start": "span2_start", "second-end": "span2_end"}
    found = look("coreference", fields, {"test": [{"text": "Hon sov."}]}, labels=["true", "false"], reader="word-spans")
    assert "record 1: KeyError: 'target'" in found["unreadable"].message


def test_check_finds_an_unknown_label(look: Check) -> None:
    found = classes(look, test=[*CLEAN, {"text": "Snön låg kvar.", "label": "maybe"}])
    assert found["unknown-label"].count == 1
    assert "row 3: 'maybe'" in found["unknown-label"].message


def test_check_finds_a_missing_label_only_where_labels_are_published(look: Check) -> None:
    rows = [*CLEAN, {"text": "Snön låg kvar."}]
    assert classes(look, test=rows)["missing-label"].message == "1 item without an answer: row 3."
    found = look(*CLASSES, {"test": rows}, labels=["pro", "con"], unlabelled=["test"])
    assert "missing-label" not in found
    assert found["unexpected-label"].severity == "note"


def test_check_notes_unused_labels_and_label_shifts(look: Check) -> None:
    train = [{"text": f"Mening {i}.", "label": "pro"} for i in range(10)]
    test = [{"text": f"Sats {i}.", "label": "con"} for i in range(10)]
    found = look(*CLASSES, {"train": train, "test": test}, labels=["pro", "con", "non"])
    assert found["unused-label"].examples == ["non"]
    assert "differ by 1.00" in found["label-shift"].message
    assert {found["unused-label"].severity, found["label-shift"].severity} == {"note"}


def test_check_notes_the_balance_of_every_split(data: Path) -> None:
    (data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CLEAN))
    task = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])
    found = next(f for f in check_material(read_material(task)) if f.code == "balance")
    assert (found.message, found.severity) == ("pro 50.0%, con 50.0%.", "note")


def test_check_finds_missing_empty_and_duplicate_ids(look: Check) -> None:
    rows = [{"id": i, "text": f"Mening nummer {n}.", "label": "pro"} for n, i in enumerate(["a", "a", "", None, "b"])]
    found = look("classification", {**CLASSES[1], "id": "id"}, {"test": rows}, labels=["pro"])
    assert [found[code].count for code in ("duplicate-id", "empty-id", "missing-id")] == [1, 1, 1]
    assert "a (2 times, rows 1, 2)" in found["duplicate-id"].message


def test_check_finds_duplicate_ids_that_the_declaration_does_not_use(look: Check) -> None:
    rows = [{"idx": n // 2, "text": f"Mening nummer {n}.", "label": "pro"} for n in range(4)]
    assert look(*CLASSES, {"test": rows}, labels=["pro"])["duplicate-id"].count == 2


def test_check_notes_a_gap_in_ids(look: Check) -> None:
    rows = [{"idx": n, "text": f"Mening nummer {n}.", "label": "pro"} for n in range(30) if n != 7]
    found = look(*CLASSES, {"test": rows}, labels=["pro"])
    assert (found["id-gap"].message, found["id-gap"].severity) == ("1 number missing between id 0 and 29: 7.", "note")


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_check_finds_an_empty_text(look: Check, text: str | None) -> None:
    assert classes(look, test=[*CLEAN, {"text": text, "label": "pro"}])["empty-text"].count == 1


def test_check_finds_an_empty_sentence_and_an_empty_token(look: Check) -> None:
    rows = [{"tokens": [], "tags": []}, {"tokens": ["Ane", ""], "tags": ["O", "O"]}, {"tokens": ["sov"], "tags": ["O"]}]
    assert look(*TAGGED, {"test": rows}, labels=["O"])["empty-text"].count == 2


def test_check_finds_a_text_of_another_type(look: Check) -> None:
    assert classes(look, test=[*CLEAN, {"text": 17, "label": "pro"}])["wrong-type"].count == 1


def test_check_finds_empty_and_repeated_options(look: Check) -> None:
    rows = [{"question": f"Fråga {i}?", "options": o, "label": 0} for i, o in enumerate([["ja", "nej"], ["ja", "ja"], ["ja", ""]])]
    found = look(*CHOICES, {"test": rows})
    assert "row 2" in found["duplicate-option"].message
    assert "row 3" in found["empty-option"].message


def test_check_finds_a_duplicate_item(look: Check) -> None:
    found = classes(look, test=[*CLEAN, CLEAN[0]])
    assert found["duplicate"].message == '1 repeated item: rows 1, 3 "Solen sken över ån.".'
    assert "contradictory" not in found


def test_check_finds_contradictory_answers_to_one_item(look: Check) -> None:
    found = classes(look, test=[*CLEAN, {**CLEAN[0], "label": "con"}])
    assert "rows 1, 3 (pro, con)" in found["contradictory"].message
    assert "duplicate" not in found


def test_check_calls_numbers_contradictory_only_where_they_are_far_apart(look: Check) -> None:
    rows = [{"w1": "bred", "w2": "smal", "label": 9.6}, {"w1": "smal", "w2": "bred", "label": 10.0}]
    assert look(*JUDGED, {"test": rows}, scale=(0, 10)).keys() == {"duplicate"}
    assert look(*JUDGED, {"test": [rows[0], {**rows[1], "label": 2}]}, scale=(0, 10)).keys() == {"contradictory"}
