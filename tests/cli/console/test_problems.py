"""The reported number of problems is exact, however many of them are shown."""

import json
from pathlib import Path

import pytest

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.tasks.declarations import load_suite

COUNT = 7_252


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """A submission with thousands of rows for unknown items."""
    rows = [{"id": f"no-such-item-{number}", "prediction": "neutral"} for number in range(COUNT)]
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "stance-sv.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "submission"


def test_score_reports_the_exact_number_of_problems(submission: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "pocket", str(submission)]) == 1
    told = capsys.readouterr().err
    assert "21 of 7,253 problems shown; files with problems were not scored." in told
    assert "… 980 more of [unknown-id]; --json lists them." in told
    assert "stance-sv.jsonl: … 6,252 more problems of the sort unknown-id." in told


def test_json_counts_the_problems_of_each_entry(submission: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "pocket", str(submission), "--json"]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert sum(problem.get("count", 1) for problem in problems) == COUNT + 1  # plus one for the items without an answer


def test_report_shows_the_exact_number_of_problems(submission: Path, tmp_path: Path) -> None:
    items = load_examples(load_suite("pocket").tasks["entailment-ru"], "test")
    gold = "".join(json.dumps({"id": item.id, "prediction": item.target}) + "\n" for item in items)
    (submission / "entailment-ru.jsonl").write_text(gold)
    assert main(["report", "--suite", "pocket", str(submission), "-o", str(tmp_path / "report.html")]) == 0
    assert "7,253 problems in all" in (tmp_path / "report.html").read_text()


def test_evaluate_reports_the_exact_number_of_problems(submission: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", f"predictions:{submission}", "pocket/stance-sv", "--out", str(tmp_path / "run")]) == 1
    assert "7,253 problems, 20 of them shown." in capsys.readouterr().err


def test_a_single_problem_is_reported_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stance.jsonl").write_text('{"id": "a", "prediction": "neutral"}\n')
    assert main(["score", "pocket", str(tmp_path)]) == 1
    assert "\n1 problem; files" in capsys.readouterr().err
