"""Checks of judgments outside their scale, and of tags that do not fit their tokens."""

from tests.data.checks.making import JUDGED, TAGGED, Check


def test_check_finds_a_judgment_off_the_scale(look: Check) -> None:
    rows = [
        {"w1": "dryck", "w2": "mun", "a1": 10, "a2": 7, "a3": 19, "label": 12.0},
        {"w1": "a", "w2": "b", "a1": 1, "a2": None, "label": 1},
    ]
    found = look(*JUDGED, {"test": rows}, scale=(0, 10))
    assert found["off-scale"].count == 2
    assert 'row 1 a3 = 19 "dryck – mun"; row 1 gold = 12' in found["off-scale"].message


def test_check_finds_a_judgment_off_the_scale_in_a_list(look: Check) -> None:
    rows = [{"w1": "dryck", "w2": "mun", "judgments": [10, -1], "label": 4.5}]
    assert "judgment 2 = -1" in look(*JUDGED, {"test": rows}, scale=(0, 10))["off-scale"].message


def test_check_does_not_take_other_numbers_for_judgments(look: Check) -> None:
    rows = [{"w1": "dryck", "w2": "mun", "annotation_id": 4711, "a": 99, "label": 4.5}]
    assert look(*JUDGED, {"test": rows}, scale=(0, 10)) == {}


def test_check_finds_gold_that_is_not_the_mean_of_its_judgments(look: Check) -> None:
    rows = [{"w1": f"ord{i}", "w2": "mun", "a1": 2, "a2": 3, "a3": 3, "label": 2.7} for i in range(20)]
    assert look(*JUDGED, {"test": rows}, scale=(0, 10)) == {}
    found = look(*JUDGED, {"test": [*rows, {**rows[0], "w1": "annat", "label": 3.5}]}, scale=(0, 10))
    assert found["label-not-mean"].message == "1 of 21 items whose gold is not the mean of its judgments: row 21 is 3.5, the mean 2.67."


def test_check_finds_orphan_tags(look: Check) -> None:
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    rows = [
        {"tokens": list("abcde"), "tags": ["I-PER", "I-PER", "O", "B-LOC", "I-PER"]},
        {"tokens": list("fg"), "tags": ["B-LOC", "I-LOC"]},
    ]
    found = look(*TAGGED, {"test": rows}, labels=labels)
    assert found["orphan-tag"].count == 2
    assert 'row 1 I-PER on "a"; row 1 I-PER on "e"' in found["orphan-tag"].message


def test_check_finds_tags_that_do_not_fit_their_tokens(look: Check) -> None:
    rows = [{"tokens": ["a", "b"], "tags": ["O"]}, {"tokens": ["c"], "tags": ["B-X"]}]
    found = look(*TAGGED, {"test": rows}, labels=["O", "B-PER"])
    assert (found["count-mismatch"].count, found["unknown-label"].count) == (1, 1)
