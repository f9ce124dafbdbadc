"""Checks of identical and nearly identical texts in two splits."""

import json
from pathlib import Path

import pytest
from tests.data.checks.making import CHOICES, CLEAN, LONG, PAIRS, Check, classes, declare, suite_of

from gluepot.data.checks import check_suite
from gluepot.data.checks.splits.words import COMMON
from gluepot.records import Slices, Source, Task


def test_check_finds_the_same_text_in_train_and_test(look: Check) -> None:
    found = classes(look, train=[{"text": "  SOLEN sken, över ån", "label": "con"}], test=CLEAN)
    assert found["overlap"].split == "train/test"
    assert found["overlap"].message == '1 of 2 items of test also in train, 1 with another answer: row 1 = row 1 "Solen sken över ån.".'


def test_check_finds_the_same_text_in_dev_and_test_whatever_dev_is_called(look: Check) -> None:
    assert classes(look, val=CLEAN[:1], test=CLEAN)["overlap"].split == "val/test"


def test_check_notes_the_same_text_in_train_and_dev(look: Check) -> None:
    assert classes(look, train=CLEAN[:1], dev=CLEAN)["overlap"].severity == "note"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LONG.replace("katten", "hunden"), True),
        (f"Idag: {LONG}, minsann!", True),
        (f"{LONG} medan regnet föll och vinden slog i dörrarna och ingen kom hem på kvällen", True),
        ("en annan mening om katten som låg på soffan och sov i solen", False),
        ("en lång mening om katten", False),
    ],
)
def test_check_finds_nearly_the_same_text_in_train_and_test(look: Check, text: str, found: bool) -> None:
    got = classes(look, train=[{"text": text, "label": "pro"}], test=[{"text": LONG, "label": "pro"}])
    assert ("near-overlap" in got, "overlap" in got) == (found, False)


def test_check_compares_pairs_and_only_notes_a_shared_premise(look: Check) -> None:
    train = [{"premise": LONG, "hypothesis": "Katten sov.", "label": "pro"}]
    test = [{"premise": LONG, "hypothesis": "Hunden åt.", "label": "pro"}]
    found = look(*PAIRS, {"train": train, "test": test}, labels=["pro"])
    assert found.keys() == {"shared-text"}
    assert found["shared-text"].severity == "note"


def test_check_treats_a_question_with_other_options_as_another_item(look: Check) -> None:
    row = {"question": "Vilket av följande påståenden är sant här?", "label": 0}
    train, test = [{**row, "options": ["a", "b"]}], [{**row, "options": ["c", "d"]}]
    assert look(*CHOICES, {"train": train, "test": test}).keys() == {"shared-text"}
    assert "overlap" in look(*CHOICES, {"train": [{**row, "options": ["d", "c"]}], "test": test})


def test_check_finds_no_near_overlap_among_many_templated_texts(look: Check) -> None:
    mould = "det här är en mall som alla texter delar med varandra nummer {} slut"
    train = [{"text": mould.format(i), "label": "pro"} for i in range(COMMON + 100)]
    test = [{"text": "en helt egen text om något annat som ingen skrev förut", "label": "pro"}]
    assert "near-overlap" not in classes(look, train=train, test=test)


def test_check_compares_a_diagnostic_with_its_training_task(data: Path) -> None:
    kind, fields = PAIRS
    row = {"premise": LONG, "hypothesis": "Katten sov.", "label": "pro"}
    for name in ("train", "test"):
        (data / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    diagnostic = declare(kind, fields, {"test": 1}, labels=["pro"], trained_on="basis", slices=Slices({"logic": "logic"}))
    basis = Task(**{**{f: getattr(diagnostic, f) for f in diagnostic.__struct_fields__}, "name": "basis", "trained_on": None})
    basis = Task(
        **{**{f: getattr(basis, f) for f in basis.__struct_fields__}, "data": Source(files={"train": "train.jsonl"}, rows={"train": 1})}
    )
    suite = suite_of(basis, diagnostic)
    for order in ([basis, diagnostic], [diagnostic]):
        found = next(f for f in check_suite(suite, order)[-1].findings if f.code == "overlap")
        assert (found.task, found.split) == ("own/task", "basis train/test")
