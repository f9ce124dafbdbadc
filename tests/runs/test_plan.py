"""Plans: one job per task and seed, diagnostics with the task they are trained on, and skipped tasks with reasons."""

from pathlib import Path

import pytest

from gluepot.errors import DataMissing, WrongUse
from gluepot.models import ADAPTERS, parse_model
from gluepot.runs.prediction.plan import make_plan
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")


def test_a_plan_has_a_job_for_each_task_and_seed() -> None:
    plan = make_plan(parse_model("random"), POCKET, seeds=3)
    assert len(plan.jobs) == 13 * 3
    assert {job.seed for job in plan.jobs} == {0, 1, 2}


def test_a_deterministic_model_runs_with_one_seed() -> None:
    assert make_plan(parse_model("majority"), POCKET, seeds=3).seeds == [0]


def test_task_names_ignore_case_and_separators_and_typos_get_a_suggestion() -> None:
    plan = make_plan(parse_model("majority"), POCKET, tasks=["Stance_SV"])
    assert [job.learns for job in plan.jobs] == ["stance-sv"]
    with pytest.raises(WrongUse, match="Did you mean 'stance-sv'"):
        make_plan(parse_model("majority"), POCKET, tasks=["stanse-sv"])


def test_a_diagnostic_shares_the_job_of_the_task_it_is_trained_on(real_data: Path) -> None:
    plan = make_plan(parse_model("majority"), load_suite("superlim"))
    shared = next(job for job in plan.jobs if job.learns == "swenli")
    assert shared.answers == ("swenli", "swediagnostics", "swewinogender")
    assert [skipped.task for skipped in plan.skipped] == ["swedn"]


def test_an_unknown_protocol_is_refused_with_a_suggestion_for_any_model() -> None:
    for name in ("majority", "encoder:some/model"):
        with pytest.raises(WrongUse, match=r"no protocol 'quik'\. Did you mean 'quick'"):
            make_plan(parse_model(name), POCKET, protocol="quik")


def test_a_protocol_is_refused_for_a_model_that_is_not_trained_by_one() -> None:
    with pytest.raises(WrongUse, match="majority is not trained by a protocol"):
        make_plan(parse_model("majority"), POCKET, protocol="quick")


def test_missing_data_is_reported_with_the_command_to_fetch_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    with pytest.raises(DataMissing, match="gluepot data fetch superlim"):
        make_plan(parse_model("majority"), load_suite("superlim"))


@pytest.mark.parametrize(
    ("text", "message"),
    [("tfidf-smv", "Did you mean 'tfidf-svm'"), ("vectors", "write vectors:FILE"), ("majority:x", "takes nothing after a colon")],
)
def test_a_mistyped_model_is_refused_with_the_correct_form(text: str, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        parse_model(text)


def test_an_option_that_a_model_does_not_take_is_refused() -> None:
    with pytest.raises(WrongUse, match="majority takes no --batch-size"):
        parse_model("majority", batch_size=8)
    assert "command" in ADAPTERS
