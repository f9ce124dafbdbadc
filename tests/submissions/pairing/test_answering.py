"""Answers of every form: accepted and refused values, and the effect of `--invalid wrong`."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from gluepot.submissions.pairing import answering

FORMS = {
    "nli": (["Entailment", "maybe", None, 5, 1.5, [], {}, True, "x" * 1_000_000, ""], 5 / 6),
    "mood": (["3", None, [1], True, 10**400], None),
    "pick": ([3, -1, "d", None, 1.5, [0], True, 10**400, "9" * 400], 3 / 4),
    "marks": ([[3], [-1], 0, None, ["0"], [True], [1.0], "0", [[0]], [10**400]], 3 / 4),
    "names": ([["B-per", "O", "O"], ["O", "O", 1], "OOO", None, ["B-LOC"] * 3, ["x" * 100_000, "O", "O"]], 2 / 3),
    "words": ([None, 5, ["kvinna 0"], "x" * 20_001], 3 / 4),
    "truth": (["yes", 1, 0, None, "truee"], 3 / 4),
}


@pytest.mark.parametrize(
    ("task", "bad"), [(task, bad) for task, (all_bad, _) in FORMS.items() for bad in all_bad], ids=lambda v: str(v)[:20]
)
def test_invalid_answers_are_refused_or_counted_as_wrong(tiny: Any, task: str, bad: Any) -> None:
    rows = tiny.answers(task)
    rows[0]["prediction"] = bad
    (problem,) = tiny.refused(task, rows)
    assert (problem.file, problem.line) == (f"{task}.jsonl", 1)
    assert problem.code in ("unknown-label", "wrong-type", "not-a-number", "too-long")
    assert problem.id is not None
    assert problem.hint
    assert len(problem.message) <= 300
    score = tiny.scored(task, rows, invalid="wrong")
    assert score.invalid == 1
    assert score.value < 0.99
    if (value := FORMS[task][1]) is not None:
        assert score.value == pytest.approx(value)


def test_all_invalid_answers_score_as_wrong_and_are_counted(tiny: Any) -> None:
    for task in FORMS:
        rows = [row | {"prediction": {"no": "answer"}} for row in tiny.answers(task)]
        score = tiny.scored(task, rows, invalid="wrong")
        assert score.invalid == len(rows)
        assert score.value is not None
        assert score.value <= 0.0 or task == "mood"


def test_an_invalid_number_becomes_the_far_end_of_the_scale(tiny: Any) -> None:
    rows = tiny.answers("mood")
    assert [row["label"] for row in rows] == [1, 2, 3, 4, 5]
    for row in rows:
        row["prediction"] = "many"
    submission = tiny.read(tiny.write("mood.jsonl", rows), invalid="wrong")
    assert submission.pairs[0].outputs == [5, 5, 5, 1, 1]


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Entailment", "entailment"), ("CONTRADICTION", "contradiction"), ("contradicion", "contradiction"), ("neutral ", "neutral")],
)
def test_suggests_the_nearest_valid_label(tiny: Any, said: str, meant: str) -> None:
    rows = tiny.answers("nli")
    rows[0]["prediction"] = said
    (problem,) = tiny.refused("nli", rows)
    assert (problem.code, problem.hint) == ("unknown-label", f"Did you mean {meant!r}?")


def test_lists_all_labels_for_a_label_without_a_near_match(tiny: Any) -> None:
    rows = tiny.answers("nli")
    rows[0]["prediction"] = "7"
    assert tiny.refused("nli", rows)[0].hint == "Labels: entailment, neutral, contradiction."


OFF_SCALE = [0, -0.0, 5.5, -3, 1e300, 10**30, 1e308, -1e154, 5e-324, 2**53 + 1, 5.000000000000001]


@pytest.mark.parametrize("number", [*OFF_SCALE, 2.5])
def test_numbers_off_the_scale_are_accepted_where_the_task_allows_them(tiny: Any, number: float) -> None:
    rows = tiny.answers("near")
    rows[0]["prediction"] = number
    assert tiny.read(tiny.write("near.jsonl", rows)).pairs[0].outputs[0] == float(number)


@pytest.mark.parametrize("number", OFF_SCALE)
def test_a_number_off_the_scale_is_a_problem_with_line_and_scale(tiny: Any, number: float) -> None:
    rows = tiny.answers("mood")
    rows[2]["prediction"] = number
    (problem,) = tiny.refused("mood", rows)
    assert (problem.code, problem.file, problem.line, problem.id) == ("off-scale", "mood.jsonl", 3, "m2")
    assert problem.message == f"{number!r} is off the scale from 1 to 5."
    assert problem.hint == "Write numbers from 1 to 5; `--invalid wrong` clips and counts the others."


@pytest.mark.parametrize("number", OFF_SCALE)
def test_numbers_off_the_scale_are_clipped_and_counted_where_wrong_answers_count(tiny: Any, number: float) -> None:
    rows = tiny.answers("mood")
    rows[0]["prediction"] = rows[4]["prediction"] = number
    submission = tiny.read(tiny.write("mood.jsonl", rows), invalid="wrong")
    (paired,) = submission.pairs
    assert paired.outputs == [1 if number < 1 else 5, 2, 3, 4, 1 if number < 1 else 5]
    assert (paired.clipped, paired.invalid, submission.problems.count()) == (2, 0, 0)
    score = tiny.scored("mood", rows, invalid="wrong")
    assert (score.clipped, score.invalid) == (2, UNSET)


def test_the_ends_of_the_scale_are_valid(tiny: Any) -> None:
    rows = [row | {"prediction": one} for row, one in zip(tiny.answers("mood"), (1, 5.0, 1.0, 5, 3), strict=True)]
    assert tiny.scored("mood", rows).clipped is UNSET


@pytest.mark.parametrize("number", [1e308, -1e308, 1.7976931348623157e308, 1e154, 10**300])
def test_extreme_constants_do_not_score_where_any_number_is_accepted(tiny: Any, number: float) -> None:
    rows = [row | {"prediction": number} for row in tiny.answers("near")]
    alpha, pearson = tiny.score(tiny.write("near.jsonl", rows)).scores
    assert alpha.value < 0
    assert (pearson.value, pearson.reason) == (None, "pearson is undefined: all predictions are the same")


def test_one_enormous_answer_spoils_a_perfect_rest(tiny: Any) -> None:
    rows = tiny.answers("near")
    rows[0]["prediction"] = 1e308
    assert tiny.scored("near", rows).value < 0.2


def test_gold_off_the_scale_can_still_be_read(tiny: Any) -> None:
    data = tiny.root / "data" / "tiny" / "mood" / "test.jsonl"
    data.write_text(data.read_text().replace("5.0", "19.0"))
    rows = tiny.answers("mood")
    assert tiny.scored("mood", rows).n == 5


@pytest.mark.parametrize("text", ["1e999", "-1e999", "NaN", "Infinity", "9" * 400, "9" * 5000])
def test_non_finite_and_oversized_numbers_are_refused(tiny: Any, text: str) -> None:
    lines = [f'{{"id": "m{n}", "prediction": {text if n == 2 else n + 1}}}' for n in range(5)]
    problems = tiny.refused("mood", "\n".join(lines))
    assert (problems[0].code, problems[0].line) == ("not-a-number", 3)


@pytest.mark.parametrize("spell", [lambda v: v, lambda v: str(v), lambda v: str(v).lower(), lambda v: str(v).upper()])
def test_true_and_false_are_accepted_in_every_spelling(tiny: Any, spell: Any) -> None:
    assert tiny.scored("truth", [row | {"prediction": spell(row["label"])} for row in tiny.answers("truth")]).value == 1.0


def test_too_few_tags_are_refused_even_where_wrong_answers_count(tiny: Any) -> None:
    rows = tiny.answers("names")
    rows[0]["prediction"] = ["B-PER", "O"]
    (problem,) = tiny.refused("names", rows, invalid="wrong")
    assert (problem.code, problem.message) == ("count-mismatch", "2 tags for 3 tokens.")


def test_suggests_the_right_case_of_a_tag(tiny: Any) -> None:
    rows = tiny.answers("names")
    rows[0]["prediction"] = ["b-per", "O", "O"]
    (problem,) = tiny.refused("names", rows)
    assert (problem.code, problem.line, problem.hint) == ("unknown-label", 1, "Did you mean 'B-PER'?")


def test_texts_share_a_size_budget(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering.Budget.__init__, "__defaults__", (3000,))
    rows = [row | {"prediction": "x" * 1000} for row in tiny.answers("words")]
    problems = tiny.refused("words", rows, invalid="wrong")
    assert [(p.code, p.line) for p in problems] == [("too-large", 3), ("too-large", 4)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=5), v, max_size=3),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(VALUES, min_size=6, max_size=6))
def test_any_value_is_an_answer_or_a_problem(tiny: Any, values: list[Any]) -> None:
    for task in tiny.suite.tasks:
        rows = [row | {"prediction": value} for row, value in zip(tiny.answers(task), values, strict=False)]
        for invalid in ("refuse", "wrong"):
            result = tiny.score(tiny.write(f"{task}.jsonl", rows), invalid=invalid)
            assert result.problems or result.scores[0].value is not None or result.scores[0].reason


@pytest.mark.parametrize("value", ["x", [1], {"a": 1}, 1e300, None])
def test_additional_fields_do_not_change_the_score(tiny: Any, value: Any) -> None:
    """Regression: the reader's internal markers were strings, and a field of the same name caused a traceback."""
    rows = [row | {"number of options judged": value, "__judged__": value} for row in tiny.answers("marks")]
    assert tiny.scored("marks", rows).value == pytest.approx(1.0)
