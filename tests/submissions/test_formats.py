"""Official submission formats: nested answers and spellings of Russian SuperGLUE, records of BasqueGLUE."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.errors import InvalidOutput
from gluepot.published.russian_superglue.submission_format import expand_muserc
from gluepot.records import Problem, Result, Suite
from gluepot.runs.scores.scoring import score_submission
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.formats import FORMATS, JUDGED

RUSSIAN, BASQUE = load_suite("russian-superglue"), load_suite("basqueglue")
MUSERC = RUSSIAN.tasks["MuSeRC"]


def passage(number: int, labels: list[list[Any]], **more: Any) -> dict[str, Any]:
    """Return a record of MuSeRC with the given labels, answers numbered consecutively across questions as in the data."""
    questions, seen = [], 0
    for q, marks in enumerate(labels):
        answers = [{"idx": seen + a, "text": f"ответ {a}", "label": mark} for a, mark in enumerate(marks)]
        questions.append({"idx": q + 10 * number, "question": f"вопрос {q}", "answers": answers})
        seen += len(marks)
    return {"idx": number, "passage": {"text": f"текст {number}", "questions": questions}, **more}


MUSERC_GOLD = [passage(0, [[1, 0, 0], [0, 1]]), passage(1, [[1, 1, 0]])]
RUCOS_GOLD = [
    {
        "idx": i,
        "passage": {"text": "Анна и Борис", "entities": [{"start": 0, "end": 4}, {"start": 7, "end": 12}]},
        "qas": [{"idx": 0, "query": "@placeholder", "answers": [{"text": ["Анна", "Борис"][i % 2]}]}],
    }
    for i in range(3)
]
DATA: dict[str, list[dict[str, Any]]] = {
    "MuSeRC/val.jsonl": MUSERC_GOLD,
    "RuCoS/val.jsonl": RUCOS_GOLD,
    "PARus/val.jsonl": [
        {"idx": i, "premise": f"п {i}", "choice1": "а", "choice2": "б", "question": "cause", "label": i % 2} for i in range(4)
    ],
    "DaNetQA/val.jsonl": [{"idx": 2 * i, "question": f"в {i}", "passage": "т", "label": i % 2 == 0} for i in range(4)],
    "DaNetQA/test.jsonl": [{"idx": 2 * i, "question": f"в {i}", "passage": "т"} for i in range(4)],
}
BASQUE_DATA: dict[str, list[dict[str, Any]]] = {
    "bec/test.jsonl": [{"text": f"testu {i}", "label": ["N", "NEU", "P"][i % 3], "idx": i} for i in range(6)],
    "nerc_id/test.jsonl": [
        {"tokens": ["Ane", "da"], "tags": ["B-PER", "O"], "idx": 3},
        {"tokens": ["Bai", "Bilbo"], "tags": ["O", "B-LOC"], "idx": 3},
    ],
}


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    for suite, files in (("russian-superglue", DATA), ("basqueglue", BASQUE_DATA)):
        for name, rows in files.items():
            (tmp_path / suite / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / suite / name).write_text("\n".join(map(json.dumps, rows)))


def score(suite: Suite, tmp_path: Path, task: str, rows: list[Any], **options: Any) -> Result:
    path = tmp_path / f"{task}.jsonl"
    text = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text(text.replace("Infinity", "1e999"), encoding="utf-8")
    options = {"split": "val" if suite is RUSSIAN else "test"} | options
    return score_submission(suite, read_submission(suite, path, **options), resamples=2)


def values(result: Result) -> dict[str, float | None]:
    assert result.problems == []
    return {score.metric: score.value for score in result.scores}


def problem_of(result: Result) -> Problem:
    (problem,) = result.problems
    assert result.scores[0].value is None
    assert problem.hint
    return problem


def test_muserc_gold_scores_best_in_any_order(tmp_path: Path) -> None:
    rows = json.loads(json.dumps(MUSERC_GOLD[::-1]))
    for record in rows:
        record["passage"]["questions"].reverse()
        for question in record["passage"]["questions"]:
            question["answers"].reverse()
    assert values(score(RUSSIAN, tmp_path, "MuSeRC", rows)) == {"answer-f1": 1.0, "question-exact-match": 1.0}


@pytest.mark.parametrize("yes", [1, "1", True, "true", "True"])
@pytest.mark.parametrize("no", [0, "0", False, "false"])
def test_muserc_accepts_every_spelling_of_marks(tmp_path: Path, yes: Any, no: Any) -> None:
    rows = [passage(0, [[yes, no, no], [no, yes]]), passage(1, [[no, no, no]])]
    assert values(score(RUSSIAN, tmp_path, "MuSeRC", rows))["question-exact-match"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("mark", ["ja", 2, None, 1.0, [1], ""])
def test_reports_an_invalid_mark_with_its_question(tmp_path: Path, mark: Any) -> None:
    rows = [passage(0, [[1, mark, 0], [0, 1]]), MUSERC_GOLD[1]]
    problem = problem_of(score(RUSSIAN, tmp_path, "MuSeRC", rows))
    assert (problem.code, problem.line, problem.id) == ("unknown-label", 1, "0/0")
    result = score(RUSSIAN, tmp_path, "MuSeRC", rows, invalid="wrong")
    assert values(result)["question-exact-match"] == pytest.approx(2 / 3)
    assert result.scores[0].invalid == 1


def test_reports_missing_questions_and_answers_of_muserc(tmp_path: Path) -> None:
    problem = problem_of(score(RUSSIAN, tmp_path, "MuSeRC", [passage(0, [[1, 0, 0]]), MUSERC_GOLD[1]]))
    assert (problem.code, problem.id, problem.message) == ("missing-id", "0/1", "1 of 3 answers are missing, first: '0/1'.")
    for invalid in ("refuse", "wrong"):
        problem = problem_of(score(RUSSIAN, tmp_path, "MuSeRC", [passage(0, [[1, 0], [0, 1]]), MUSERC_GOLD[1]], invalid=invalid))
        assert (problem.code, problem.id, problem.message) == ("count-mismatch", "0/0", "2 answers for 3 options.")


def test_reports_an_answer_judged_twice_or_not_at_all(tmp_path: Path) -> None:
    twice = passage(0, [[1, 0, 0], [0, 1]])
    twice["passage"]["questions"][0]["answers"][1]["idx"] = 0
    assert problem_of(score(RUSSIAN, tmp_path, "MuSeRC", [twice, MUSERC_GOLD[1]], invalid="wrong")).code == "duplicate-id"
    bare = passage(0, [[1, 0, 0], [0, 1]])
    del bare["passage"]["questions"][0]["answers"][1]["label"]
    problem = problem_of(score(RUSSIAN, tmp_path, "MuSeRC", [bare, MUSERC_GOLD[1]], invalid="wrong"))
    assert (problem.code, problem.message) == ("missing-prediction", "the question or an answer of it lacks 'label'.")


def test_reports_passages_without_questions(tmp_path: Path) -> None:
    problem = problem_of(score(RUSSIAN, tmp_path, "MuSeRC", [passage(0, []), passage(1, [])]))
    assert (problem.code, problem.message[:25]) == ("missing-id", "3 of 3 answers are missin")


@pytest.mark.parametrize(
    "record",
    [
        {"passage": {}},
        {"passage": None},
        {"passage": []},
        {"passage": {"questions": None}},
        {"passage": {"questions": "abc"}},
        {"passage": {"questions": [None]}},
        {"passage": {"questions": [{"idx": 0, "answers": 5}]}},
        {"idx": 0, "passage": {"questions": [{"answers": []}]}},
        {"idx": 0, "passage": {"questions": [{"idx": 0, "answers": [{"idx": 1e999, "label": 1}]}]}},
        {"idx": 0, "passage": {"questions": [{"idx": 0, "answers": [{"idx": "9" * 5000, "label": 1}]}]}},
        {"idx": 0, "passage": {"questions": [{"idx": 0, "answers": {"idx": 0}}]}},
        {"idx": {}, "passage": {"questions": [{"idx": [], "answers": []}]}},
    ],
    ids=str,
)
def test_badly_nested_records_are_problems(tmp_path: Path, record: dict[str, Any]) -> None:
    result = score(RUSSIAN, tmp_path, "MuSeRC", [record])
    assert {p.code for p in result.problems} <= {"wrong-type", "missing-prediction", "missing-id", "unknown-id", "count-mismatch"}
    assert any(p.line == 1 for p in result.problems)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["0", "1", "x"]),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["idx", "label", "passage", "questions", "answers"]), v),
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["idx", "label", "passage", "questions"]), JSON))
def test_any_nesting_expands_or_raises_a_known_error(record: dict[str, Any]) -> None:
    try:
        flat = list(expand_muserc(MUSERC, record))
    except (KeyError, TypeError):
        return
    for row in flat:
        assert row == record or isinstance(row["prediction"], InvalidOutput) or row[JUDGED] >= len(row["prediction"])


def test_muserc_accepts_the_flat_format(tmp_path: Path) -> None:
    rows = [{"id": "0/0", "prediction": [0]}, {"id": "0/1", "prediction": [1]}, {"id": "1/10", "prediction": [0, 1]}]
    assert values(score(RUSSIAN, tmp_path, "MuSeRC", rows))["question-exact-match"] == 1.0


def test_rucos_accepts_an_entity_by_idx(tmp_path: Path) -> None:
    rows = [{"idx": i, "label": ["Анна", "Борис"][i % 2]} for i in (2, 0, 1)]
    assert values(score(RUSSIAN, tmp_path, "RuCoS", rows))["exact-match"] == 1.0
    problem = problem_of(
        score(RUSSIAN, tmp_path, "RuCoS", [{"idx": i, "label": i or "Анна"} for i in range(2)] + [{"idx": 2, "label": ""}])
    )
    assert (problem.code, problem.line, problem.message) == ("wrong-type", 2, "1 is not a string.")


@pytest.mark.parametrize("spell", [int, str, float])
def test_parus_accepts_numbers_and_digits(tmp_path: Path, spell: Any) -> None:
    rows = [{"idx": spell(i), "label": spell(i % 2)} for i in (3, 1, 0, 2)]
    if spell is str:
        assert rows[0] == {"idx": "3", "label": "1"}
    if spell is float:  # as pandas writes integers in a column with missing values
        assert json.dumps(rows[0]) == '{"idx": 3.0, "label": 1.0}'
    assert values(score(RUSSIAN, tmp_path, "PARus", rows))["accuracy"] == 1.0


def test_reports_an_option_out_of_range(tmp_path: Path) -> None:
    problem = problem_of(score(RUSSIAN, tmp_path, "PARus", [{"idx": i, "label": 2 if i == 3 else 0} for i in range(4)]))
    assert (problem.code, problem.id, problem.hint) == ("unknown-label", "3", "The item has 2 options: 0 to 1.")


@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("True", "False"), (True, False), ("TRUE", "FALSE")])
def test_accepts_true_and_false_in_every_spelling_and_order(tmp_path: Path, yes: Any, no: Any) -> None:
    rows = [{"idx": 2 * i, "label": yes if i % 2 == 0 else no} for i in (3, 1, 2, 0)]
    assert values(score(RUSSIAN, tmp_path, "DaNetQA", rows))["accuracy"] == 1.0


def test_ids_in_a_gap_are_unknown(tmp_path: Path) -> None:
    result = score(RUSSIAN, tmp_path, "DaNetQA", [{"idx": i, "label": True} for i in range(4)])
    assert [(p.code, p.id) for p in result.problems] == [("unknown-id", "1"), ("unknown-id", "3"), ("missing-id", "4")]
    assert result.problems[0].hint == "Its ids are like '0', '2', '4': is this the right split?"


def test_withheld_answers_are_null_with_the_reason_and_still_checked(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"idx": 2 * i, "label": "true"} for i in range(4)]
    result = score(RUSSIAN, tmp_path, "DaNetQA", rows, split="test")
    assert (result.problems, result.scores[0].value, result.scores[0].reason) == ([], None, "the answers to DaNetQA test are not published")
    rows[1]["label"] = "verdad"
    assert problem_of(score(RUSSIAN, tmp_path, "DaNetQA", rows, split="test", invalid="wrong")).code == "unknown-label"


def test_basque_submissions_have_the_shape_of_the_data(tmp_path: Path) -> None:
    assert values(score(BASQUE, tmp_path, "bec", BASQUE_DATA["bec/test.jsonl"]))["micro-f1"] == 1.0
    assert values(score(BASQUE, tmp_path, "nerc_id", BASQUE_DATA["nerc_id/test.jsonl"]))["span-f1"] == 1.0


def test_reports_basque_rows_out_of_order_by_text_or_idx(tmp_path: Path) -> None:
    rows = BASQUE_DATA["bec/test.jsonl"]
    swapped = [rows[1], rows[0], *rows[2:]]
    result = score(BASQUE, tmp_path, "bec", swapped)
    assert [(p.code, p.line, p.id) for p in result.problems[:2]] == [("field-mismatch", 1, "0"), ("field-mismatch", 2, "1")]
    assert result.problems[0].hint == "It is item '1': was a row left out, added or moved before it?"
    bare = [{"idx": row["idx"], "label": row["label"]} for row in swapped]
    assert [p.code for p in score(BASQUE, tmp_path, "bec", bare).problems][:2] == ["field-mismatch"] * 2


def test_reports_basque_rows_without_an_answer(tmp_path: Path) -> None:
    rows = [{"tokens": row["tokens"]} for row in BASQUE_DATA["nerc_id/test.jsonl"]]
    problem = score(BASQUE, tmp_path, "nerc_id", rows).problems[0]
    assert (problem.code, problem.hint) == ("missing-prediction", 'Add "tags".')


def test_every_format_has_a_summary() -> None:
    assert all(FORMATS[name].summary for name in FORMATS)
