"""Model descriptions in submissions: valid ones are read, stated scores are only compared, malformed ones are problems."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.records import Problem
from gluepot.submissions.descriptions import Description, read_description
from gluepot.submissions.opening.entries import SubmissionFile
from gluepot.submissions.problems import Problems

FULL = {
    "repo_link": "https://example.org",
    "model": {"model_name": "KB/bert", "model_type": "Encoder", "number_params": 124690944, "data_size": 20},
    "tasks": {"nli": {"test": {"N": 6, "accuracy": 0.5, "alpha": None}, "dev": None}, "stance": None},
    "model_card": "A model.",
}


def read(data: Any) -> tuple[Description | None, list[Problem], list[str]]:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    problems, notices = Problems(), list[str]()
    description = read_description(SubmissionFile("s.json", len(raw), lambda: io.BytesIO(raw)), problems, notices)
    return description, problems.listed(), notices


def test_a_full_description_is_read() -> None:
    description, problems, notices = read(FULL)
    assert (problems, notices) == ([], [])
    assert description == Description(
        "KB/bert", "Encoder", 124690944, 20, "https://example.org", "A model.", {("nli", "test", "accuracy"): 0.5}, {("nli", "test"): 6}
    )


@pytest.mark.parametrize(
    "record", [{"model": {"model_name": "x"}}, {"model": {"model_name": "x", "number_params": None, "new": [1]}, "tasks": None, "more": {}}]
)
def test_a_minimal_description_is_read(record: Any) -> None:
    description, problems, _ = read(b"\xef\xbb\xbf" + json.dumps(record).encode())
    assert problems == []
    assert description == Description("x")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": None}, "`null` - at `$.model`"),
        ({"model": []}, "got `array` - at `$.model`"),
        ({"model": {}}, "missing required field `model_name`"),
        ({"model": {"model_name": 5}}, "$.model.model_name"),
        ({"model": {"model_name": ""}}, "$.model.model_name"),
        ({"model": {"model_name": "x" * 500}}, "$.model.model_name"),
        ({"model": {"model_name": "x", "number_params": "124M"}}, "$.model.number_params"),
        ({"model": {"model_name": "x", "number_params": -1}}, "$.model.number_params"),
        ({"model": {"model_name": "x", "number_params": 10**400}}, "$.model.number_params"),
        ({"model": {"model_name": "x", "data_size": [1]}}, "$.model.data_size"),
        ({"repo_link": 1}, "$.repo_link"),
        ({"tasks": []}, "$.tasks"),
        ({"tasks": {"nli": 0.5}}, "$.tasks[...]"),
        ({"tasks": {"nli": {"test": [0.5]}}}, "$.tasks[...][...]"),
    ],
)
def test_a_wrong_type_is_a_problem_with_its_path(change: dict[str, Any], words: str) -> None:
    description, (problem,), _ = read(FULL | change)
    assert description is None
    assert (problem.code, problem.file) == ("wrong-type", "s.json")
    assert words in problem.message
    assert problem.hint


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "broken-json"),
        (b'{"model": {', "broken-json"),
        (b'{"model": 1, "model": 2}', "duplicate-key"),
        (b'{"model": NaN}', "not-a-number"),
        (b"\xff", "not-utf8"),
        (b"[]", "wrong-type"),
        (b"[" * 900_000, "too-deep"),
        (b'{"model": "' + b"x" * 1_048_576 + b'"}', "too-large"),
    ],
    ids=lambda value: value[:20],
)
def test_invalid_json_objects_are_problems(data: bytes, code: str) -> None:
    description, (problem,), _ = read(data)
    assert (description, problem.code, problem.file) == (None, code, "s.json")
    assert problem.hint


def test_json_without_a_model_is_a_notice() -> None:
    assert read({"learning_rate": 0.1}) == (None, [], ['s.json: no model description (it has no "model"), ignored'])


def test_stated_values_that_are_not_scores_are_left_out() -> None:
    odd = {
        "accuracy": True,
        "f1": "0.5",
        "spearmanr": 10**400,
        "pearsonr": [1],
        "alpha": 1e300,
        "parity": None,
        "N": {},
        "unknown": 1,
        "rouge1": -1,
    }
    description, problems, _ = read(FULL | {"tasks": {"nli": {"test": odd}}})
    assert problems == []
    assert description is not None
    assert (description.stated, description.counts) == ({("nli", "test", "rouge-1"): -1.0}, {})


def test_names_with_control_characters_are_quoted() -> None:
    description, _, _ = read({"model": {"model_name": "\x1b[31mred"}})
    assert description is not None
    assert description.model == "'\\x1b[31mred'"


def test_a_file_that_cannot_be_opened_is_a_problem() -> None:
    problems = Problems()

    def fail() -> Any:
        raise PermissionError(13, "Permission denied", "/somewhere")

    assert read_description(SubmissionFile("s.json", 1, fail), problems, []) is None
    (problem,) = problems.listed()
    assert (problem.code, problem.message) == ("unreadable", "cannot be read: Permission denied.")


KEYS = st.sampled_from(["model", "model_name", "number_params", "tasks", "nli", "test", "N", "accuracy", "repo_link", "model_card"])


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda v: st.lists(v, max_size=3) | st.dictionaries(KEYS, v)
    )
)
def test_any_json_is_a_description_a_problem_or_a_notice(value: Any) -> None:
    description, problems, notices = read(value)
    assert (description is not None) + len(problems) + len(notices) == 1


def test_stated_scores_are_compared_and_the_model_named(make_tiny: Callable[..., Any]) -> None:
    tiny = make_tiny("superlim")
    tiny.write("submission.json", json.dumps(FULL))
    tiny.write("nli/test.jsonl", tiny.answers("nli"))
    result = tiny.score()
    assert (result.problems, result.model) == ([], "KB/bert")
    assert [(row.metric, row.stated, row.computed, row.agrees) for row in result.stated] == [("accuracy", 0.5, 1.0, False)]


def test_a_malformed_description_does_not_prevent_scoring(make_tiny: Callable[..., Any]) -> None:
    tiny = make_tiny("superlim")
    tiny.write("submission.json", b'{"model": {}}')
    tiny.write("config.json", b"{}")
    tiny.write("nli/test.jsonl", tiny.answers("nli"))
    result = tiny.score()
    assert [p.file for p in result.problems] == ["submission.json"]
    assert (result.model, result.scores[0].value) == ("submission", 1.0)
    assert result.notices == ['config.json: no model description (it has no "model"), ignored']


def test_a_second_description_is_ignored_with_a_notice(make_tiny: Callable[..., Any]) -> None:
    tiny = make_tiny("superlim")
    tiny.write("a.json", json.dumps({"model": {"model_name": "first"}}))
    tiny.write("b.json", json.dumps({"model": {"model_name": "second"}}))
    tiny.write("nli/test.jsonl", tiny.answers("nli"))
    result = tiny.score()
    assert (result.model, result.problems, result.notices) == ("first", [], ["b.json: not a prediction file, ignored"])
