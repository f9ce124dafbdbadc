"""Pairing of rows with items: by id in any order, by order only where the data has no ids."""

import json
from typing import Any

import pytest

from gluepot.records import Problem
from gluepot.submissions import pairing
from gluepot.submissions.problems import HOPELESS


def codes(problems: list[Problem]) -> list[tuple[str, int | None, str | None]]:
    return [(problem.code, problem.line, problem.id) for problem in problems]


def test_ids_pair_in_any_order(tiny: Any) -> None:
    assert tiny.scored("nli", tiny.answers("nli")[::-1]).value == 1.0
    assert tiny.scored("mood", tiny.answers("mood")[::-1]).value == pytest.approx(1.0)


@pytest.mark.parametrize("spell", [int, str, float])
def test_numbers_and_strings_are_the_same_id(tiny: Any, spell: Any) -> None:
    rows = [{"id": spell(row["id"]), "prediction": row["label"]} for row in tiny.answers("nli")]
    assert tiny.scored("nli", rows).value == 1.0


def test_the_field_id_is_accepted_where_the_data_uses_another_name(tiny: Any) -> None:
    assert tiny.scored("truth", [{"id": row["idx"], "prediction": row["label"]} for row in tiny.answers("truth")]).value == 1.0
    assert tiny.scored("truth", [{"idx": row["idx"], "prediction": row["label"]} for row in tiny.answers("truth")]).value == 1.0


@pytest.mark.parametrize("bad", [None, True, [1], {"a": 1}, 1.5, "", "x" * 5000, 10**300])
def test_reports_an_invalid_id(tiny: Any, bad: Any) -> None:
    rows = tiny.answers("nli")
    rows[2]["id"] = bad
    first, second = tiny.refused("nli", rows)
    assert (first.code in ("wrong-type", "unknown-id"), first.line) == (True, 3)
    assert len(first.message) < 120
    assert first.hint
    assert (second.code, second.id, second.message) == ("missing-id", "2", "1 of 6 answers are missing, first: '2'.")


def test_a_row_without_an_id_is_not_guessed_where_the_data_has_ids(tiny: Any) -> None:
    rows = tiny.answers("truth")
    del rows[1]["idx"]
    problems = tiny.refused("truth", rows)
    assert codes(problems) == [("missing-id", 2, None), ("missing-id", None, "1")]
    assert problems[0].hint == 'Add "idx" as the data has it.'


def test_reports_unknown_duplicate_and_missing_ids(tiny: Any) -> None:
    rows = tiny.answers("mood")
    rows[0]["id"] = "m00"
    rows[3]["id"] = "m1"
    problems = tiny.refused("mood", rows)
    assert codes(problems) == [("unknown-id", 1, "m00"), ("duplicate-id", 4, "m1"), ("missing-id", None, "m0")]
    assert problems[0].hint == "Did you mean 'm0'?"
    assert problems[2].message == "2 of 5 answers are missing, first: 'm0'."


def test_an_item_answered_twice_is_a_duplicate_even_with_another_text(tiny: Any) -> None:
    rows = tiny.answers("nli")
    (problem,) = tiny.refused("nli", [*rows, rows[0] | {"premise": "other"}])
    assert (problem.code, problem.line, problem.id) == ("duplicate-id", 7, "0")


def test_another_text_under_the_right_id_is_a_notice(tiny: Any) -> None:
    rows = tiny.answers("nli")
    rows[0]["premise"] = "other"
    result = tiny.score(tiny.write("nli.jsonl", rows))
    assert result.problems == []
    assert result.notices == ["nli.jsonl: 1 row carries another text than the data's item of the same id"]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [3, 0, 1, 2]])
def test_items_that_share_an_id_are_distinguished_by_their_text(tiny: Any, order: list[int]) -> None:
    rows = tiny.answers("twice")
    assert tiny.scored("twice", [rows[n] for n in order]).value == 1.0


def test_items_that_share_an_id_are_paired_in_order_without_text(tiny: Any) -> None:
    bare = [{"id": row["id"], "prediction": row["label"]} for row in tiny.answers("twice")]
    assert tiny.scored("twice", bare).value == 1.0
    bare[3]["id"] = "0#2"
    assert tiny.scored("twice", bare[::-1]).value == 1.0


def test_reports_a_shared_id_answered_too_often_or_with_a_foreign_text(tiny: Any) -> None:
    rows = tiny.answers("twice")
    assert codes(tiny.refused("twice", [*rows, rows[3]])) == [("duplicate-id", 5, "0#2")]
    rows[3]["text"] = "foreign"
    assert codes(tiny.refused("twice", rows)) == [("field-mismatch", 4, "0#2"), ("missing-id", None, "0#2")]


def test_rows_are_paired_by_order_where_the_data_has_no_ids(tiny: Any) -> None:
    assert tiny.scored("stance", tiny.answers("stance")).value == 1.0
    result = tiny.score(tiny.write("stance.jsonl", [{"prediction": row["label"]} for row in tiny.answers("stance")]))
    assert (result.problems, result.scores[0].value) == ([], 1.0)
    assert result.notices == ["stance.jsonl: 5 rows carry neither id nor text and were taken in the data's order"]


def test_the_row_number_is_the_id_of_an_item_that_has_none(tiny: Any) -> None:
    rows = [{"id": n, "prediction": row["label"]} for n, row in enumerate(tiny.answers("stance"))]
    result = tiny.score(tiny.write("stance.jsonl", rows[::-1]))
    assert (result.problems, result.notices, result.scores[0].value) == ([], [], 1.0)
    rows[4]["id"] = 5
    problems = tiny.refused("stance", rows)
    assert codes(problems) == [("unknown-id", 5, "5"), ("missing-id", None, "4")]


def test_reports_a_changed_text(tiny: Any) -> None:
    rows = tiny.answers("stance")
    rows[2]["text"] += "!"
    problems = tiny.refused("stance", rows)
    assert codes(problems) == [("field-mismatch", 3, "2"), ("missing-id", None, "2")]
    assert problems[0].hint == "Rows must stand in the data's order; is the data's version the same?"


def test_reports_swapped_rows(tiny: Any) -> None:
    rows = tiny.answers("stance")
    rows[1], rows[2] = rows[2], rows[1]
    problems = tiny.refused("stance", rows)
    assert codes(problems)[:2] == [("field-mismatch", 2, "1"), ("field-mismatch", 3, "2")]
    assert problems[0].hint == "It is item '2': was a row left out, added or moved before it?"


def test_reports_a_missing_and_an_extra_row_with_both_counts(tiny: Any) -> None:
    rows = tiny.answers("stance")
    problems = tiny.refused("stance", rows[:2] + rows[3:])
    assert codes(problems) == [("field-mismatch", 3, "2"), ("field-mismatch", None, None), ("count-mismatch", None, None)]
    assert [p.message for p in problems[1:]] == ["1 more row stands one place off.", "4 rows for 5 items."]
    assert codes(tiny.refused("stance", rows[:-1])) == [("count-mismatch", None, None)]
    (problem,) = tiny.refused("stance", [*rows, rows[-1]])
    assert (problem.code, problem.message) == ("count-mismatch", "6 rows for 5 items.")


def test_a_malformed_line_does_not_shift_the_rows_after_it(tiny: Any) -> None:
    lines = [json.dumps(row) for row in tiny.answers("stance")]
    problems = tiny.refused("stance", "\n".join([*lines[:2], lines[2][:-3], *lines[3:]]))
    assert codes(problems) == [("broken-json", 3, None), ("missing-id", None, "2")]


def test_far_too_many_rows_are_not_read_to_the_end(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "SURPLUS", 10)
    (problem,) = tiny.refused("stance", tiny.answers("stance") + [{"prediction": "pro"}] * 100)
    assert problem.message == "more than 15 rows for 5 items."


def test_other_fields_are_ignored(tiny: Any) -> None:
    rows = [row | {"scores": [0.1, 0.9], "meta": {"a": [None]}, "model": "x"} for row in tiny.answers("nli")]
    assert tiny.scored("nli", rows).value == 1.0


def test_reports_a_row_without_a_prediction(tiny: Any) -> None:
    rows = tiny.answers("nli")
    del rows[4]["prediction"]
    for invalid in ("refuse", "wrong"):
        (problem,) = tiny.refused("nli", rows, invalid=invalid)
        assert (problem.code, problem.line, problem.id, problem.hint) == ("missing-prediction", 5, "4", 'Add "prediction".')


def test_null_is_left_out_only_where_the_task_allows_it(tiny: Any) -> None:
    rows = tiny.answers("pairs")
    rows[1]["prediction"] = None
    score = tiny.scored("pairs", rows)
    assert (score.n, score.left_out) == (4, 1)
    (problem,) = tiny.refused("pairs", [row | {"prediction": None} for row in rows])
    assert (problem.code, problem.message) == ("missing-prediction", "every answer is left out.")
    rows = tiny.answers("nli")
    rows[1]["prediction"] = None
    (problem,) = tiny.refused("nli", rows)
    assert (problem.code, problem.line, problem.message) == ("wrong-type", 2, "None is not one of entailment, neutral, contradiction.")


def test_line_numbers_are_those_of_the_file(tiny: Any) -> None:
    rows = ['{"id": 0, "prediction": "entailment"}', " ", '{"id": 1, "prediction": "Neutral"}', '{"id": 9, "prediction": "neutral"}']
    data = "\r\n".join(["\ufeff", "", *rows])
    problems = tiny.refused("nli", data)
    assert codes(problems) == [("unknown-label", 5, "1"), ("unknown-id", 6, "9"), ("missing-id", None, "2")]


def test_different_problems_in_one_file_are_all_reported(tiny: Any) -> None:
    rows = [
        b'{"id": 0, "prediction": "Entailment"}',
        b'{"id": 1, "prediction": 1.5}',
        b'{"id": 1, "prediction": "neutral"}',
        b'{"id": 77, "prediction": "neutral"}',
        b'{"id": 2}',
        b'{"id": 3, "id": 3, "prediction": "neutral"}',
        b'{"id": 3, "prediction": NaN}',
        b'{"id": 4, "prediction": "neutr\xe4l"}',
        b'{"id": 5, "prediction": ',
        b"[]",
    ]
    problems = tiny.refused("nli", b"\n".join(rows))
    by_line = {p.line: p.code for p in problems}
    assert by_line == {
        1: "unknown-label",
        2: "wrong-type",
        3: "duplicate-id",
        4: "unknown-id",
        5: "missing-prediction",
        6: "duplicate-key",
        7: "not-a-number",
        8: "not-utf8",
        9: "broken-json",
        10: "wrong-type",
        None: "missing-id",
    }
    assert all(p.file == "nli.jsonl" for p in problems)
    assert all(p.hint for p in problems)


def test_nesting_just_below_the_limit_does_not_crash(tiny: Any) -> None:
    for depth in (100, 500, 800, 900, 950, 970, 980, 990, 995):
        nested = b"[" * depth + b"]" * depth
        for line in (b'{"id": %s, "prediction": 1}', b'{"id": 0, "prediction": %s}', b'{"id": 0, "premise": %s, "prediction": "neutral"}'):
            assert tiny.refused("nli", line % nested)


def test_a_hundred_thousand_bad_rows_are_counted_not_listed(tiny: Any) -> None:
    problems = tiny.refused("nli", b'{"id": "x", "prediction": 1}\n' * (HOPELESS + 20_000))
    assert len(problems) < 1010
    assert problems[-1].code == "more"
    assert "gave-up" in {p.code for p in problems}
