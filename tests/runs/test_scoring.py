"""Scoring on the bundled suite: intervals, nulls with reasons, groups and the suite's mean."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from gluepot.metrics import METRICS
from gluepot.records import Example, Result
from gluepot.runs.scores.scoring import score_metrics, score_submission
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.search_path import BUNDLED

POCKET = load_suite("pocket")
SAMPLE = BUNDLED / "pocket" / "sample"


@pytest.fixture(scope="module")
def result() -> Result:
    return score_submission(POCKET, read_submission(POCKET, SAMPLE))


def test_every_task_of_the_sample_is_scored(result: Result) -> None:
    assert result.problems == []
    assert [s.task for s in result.scores if s.primary] == list(POCKET.tasks)


def test_every_interval_contains_its_value(result: Result) -> None:
    for score in result.scores:
        assert score.low <= score.value <= score.high, score


def test_the_suites_interval_is_narrower_than_its_tasks(result: Result) -> None:
    (mean,) = result.overall
    widths = [s.high - s.low for s in result.scores if s.primary]
    assert mean.tasks == 13
    assert mean.high - mean.low < min(widths)


def test_scoring_is_deterministic(result: Result) -> None:
    again = score_submission(POCKET, read_submission(POCKET, SAMPLE))
    assert again == result


def answers(tmp_path: Path, task: str, predictions: list[object]) -> Result:
    golds = [json.loads(line) for line in (BUNDLED / "pocket" / "data" / task / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [json.dumps({"id": gold["id"], "prediction": p}) for gold, p in zip(golds, predictions, strict=True)]
    (tmp_path / f"{task}.jsonl").write_text("\n".join(rows))
    return score_submission(POCKET, read_submission(POCKET, tmp_path), resamples=100)


def test_the_correlation_of_a_constant_is_null_with_a_reason(tmp_path: Path) -> None:
    result = answers(tmp_path, "word-pairs-eu", [5.0] * 40)
    spearman = next(s for s in result.scores if s.metric == "spearman")
    alpha = next(s for s in result.scores if s.metric == "alpha-interval")
    assert (spearman.value, spearman.low) == (None, None)
    assert "undefined" in str(spearman.reason)
    assert alpha.value is not None


def test_a_suite_with_a_task_missing_has_no_mean(tmp_path: Path) -> None:
    (mean,) = answers(tmp_path, "stance-sv", ["neutral"] * 40).overall
    assert mean.value is None
    assert "paraphrase-sv" in str(mean.reason)


def test_a_file_with_a_problem_is_not_scored(tmp_path: Path) -> None:
    result = answers(tmp_path, "stance-sv", ["neutral"] * 39 + ["Neutral"])
    assert [s.value for s in result.scores] == [None]
    (problem,) = result.problems
    assert (problem.code, problem.line, problem.file) == ("unknown-label", 40, "stance-sv.jsonl")
    assert "'neutral'" in problem.hint


def test_items_are_resampled_in_groups(result: Result) -> None:
    from gluepot.data.examples import load_examples
    from gluepot.runs.scores.scoring import item_groups

    groups = item_groups(load_examples(POCKET.tasks["multi-choice-ru"], "test"))
    assert groups is not None
    assert len(set(groups)) == 8


@pytest.mark.parametrize("metric", ["alpha-nominal", "macro-f1", "mcc", "weighted-f1"])
def test_declared_labels_without_items_still_count(metric):
    task = structs.replace(POCKET.tasks["stance-sv"], metrics=[metric])
    examples = [Example(str(number), {"text": "…"}, "positive" if number % 2 else "negative") for number in range(40)]
    [(score, _)] = score_metrics(task, "test", [metric], examples, [example.target for example in examples], 1000)
    declared = METRICS[metric].sample(*[[e.target for e in examples]] * 2, labels=task.labels)
    assert score.value == 1.0
    assert score.low < 0.95
    assert "neutral" in declared.labels
