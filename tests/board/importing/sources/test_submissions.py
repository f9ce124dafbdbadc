"""Import of submissions: predictions are scored, claims stay unverified, and every problem is reported."""

import json
import zipfile
from pathlib import Path

import pytest

from gluepot.data.examples import load_examples
from gluepot.runs.verification import gold_answer
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")


def write_answers(folder: Path, name: str, drop: int = 0) -> Path:
    task = POCKET.tasks[name]
    rows = [json.dumps({"id": e.id, "prediction": gold_answer(task, e)}) for e in load_examples(task, "test")]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(rows[: len(rows) - drop]) + "\n", encoding="utf-8")
    return path


def describe(path: Path, tasks: dict, name: str = "org/mine", **model) -> Path:
    """Write a Superlim description; the data of its tasks need not be present."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"model_name": name, "model_type": "Encoder", "number_params": 5, "data_size": 2} | model
    path.write_text(json.dumps({"repo_link": "https://example.org/x", "model_card": "# Card", "model": about, "tasks": tasks}))
    return path


def bring(*paths: Path, suite: str | None = None):
    from gluepot.board.importing import import_paths

    return import_paths(paths, suite)


def test_a_folder_of_answers_is_scored(board, tmp_path):
    from gluepot.board.models import Score

    write_answers(tmp_path / "mine", "stance-sv")
    report = bring(tmp_path / "mine")
    assert [(line.kind, line.system, line.suite) for line in report.lines] == [("submission", "mine", "pocket 1")]
    score = Score.objects.get(task="stance-sv", metric="alpha-nominal", slice="")
    assert (score.value, score.verified) == (1.0, True)


def test_a_zip_of_the_same_answers_is_the_same_content(board, tmp_path):
    path = write_answers(tmp_path / "mine", "stance-sv")
    bring(tmp_path / "mine")
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.write(path, "wrapped/stance-sv.jsonl")
    assert [line.state for line in bring(tmp_path / "mine.zip").lines] == ["already there"]


def test_one_file_needs_a_tasks_name_or_a_suite(board, tmp_path):
    path = write_answers(tmp_path, "stance-sv")
    assert len(bring(path).lines) == 1
    odd = path.rename(tmp_path / "answers.jsonl")
    assert [problem.code for problem in bring(odd).problems] == ["unknown-suite"]
    assert [problem.code for problem in bring(odd, suite="pocket").problems] == ["unknown-task"]


def test_file_with_problems_does_not_block_the_others(board, tmp_path):
    from gluepot.board.models import Answers, Score

    write_answers(tmp_path / "mine", "stance-sv")
    write_answers(tmp_path / "mine", "entailment-ru", drop=2)
    report = bring(tmp_path / "mine")
    [problem] = report.problems
    assert (problem.code, problem.file) == ("missing-id", "mine/entailment-ru.jsonl")
    assert Score.objects.get(task="entailment-ru").value is None
    assert [row.task for row in Answers.objects.all()] == ["stance-sv"]


def test_submission_without_a_valid_file_is_not_imported(board, tmp_path):
    from gluepot.board.models import System

    write_answers(tmp_path / "mine", "stance-sv", drop=1)
    report = bring(tmp_path / "mine")
    assert (report.lines, len(report.problems), System.objects.count()) == ([], 1, 0)


@pytest.mark.parametrize("alone", [True, False], ids=["file", "folder"])
def test_claims_without_predictions_are_reported_not_confirmed(board, tmp_path, alone):
    from gluepot.board.models import Score, Stated, System

    stated = {
        "swenli": {"test": {"N": 305, "alpha": 0.25, "accuracy": 0.6, "f1": None}, "dev": None},
        "swewinogender": {"test": {"alpha": -0.3, "parity": 0.33}},
        "sweparaphrase": {"test": {"alpha": 0.9, "spearmanr": 0.95}},
        "nosuchtask": {"test": {"alpha": 1.0}},
    }
    path = describe(tmp_path / "mine" / "mine.json", stated)
    report = bring(path if alone else path.parent)
    assert report.problems == []
    scores = {(s.task, s.metric): s for s in Score.objects.all()}
    assert {place: s.value for place, s in scores.items()} == {
        ("swenli", "alpha-nominal"): 0.25,
        ("swenli", "accuracy"): 0.6,
        ("swewinogender", "alpha-nominal"): -0.3,
        ("sweparaphrase", "alpha-interval"): 0.9,
        ("sweparaphrase", "spearman"): 0.95,
    }
    assert {(s.verified, s.reason) for s in scores.values()} == {(False, "stated by the submitter, not confirmed")}
    parity = Stated.objects.get(metric="gender-parity")
    assert (parity.stated, parity.computed, parity.agrees) == (0.33, None, False)
    system = System.objects.get()
    assert (system.name, system.family, system.parameters, system.data_size) == ("org/mine", "Encoder", 5, 2.0)
    assert (system.link, system.card) == ("https://example.org/x", "# Card")


def test_a_claim_off_the_scale_is_a_problem(board, tmp_path):
    from gluepot.board.models import Score

    report = bring(describe(tmp_path / "mine.json", {"swenli": {"test": {"accuracy": 60.5, "alpha": 0.2}}}))
    [problem] = report.problems
    assert problem.code == "off-scale"
    assert "accuracy of 60.5" in problem.message
    assert [s.metric for s in Score.objects.all()] == ["alpha-nominal"]


def test_unsafe_link_is_dropped(board, tmp_path):
    from gluepot.board.models import System

    path = describe(tmp_path / "mine.json", {"swenli": {"test": {"alpha": 0.2}}})
    path.write_text(path.read_text().replace("https://example.org/x", "javascript:alert(1)"))
    bring(path)
    assert System.objects.get().link == ""


def test_missing_data_error_names_the_fetch_command(board, tmp_path, monkeypatch):
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "nothing"))
    (tmp_path / "mine" / "swenli").mkdir(parents=True)
    (tmp_path / "mine" / "swenli" / "test.jsonl").write_text('{"id": "1", "prediction": "neutral"}\n')
    report = bring(tmp_path / "mine")
    assert [problem.code for problem in report.problems] == ["data-missing"]
    assert "gluepot data fetch superlim" in report.problems[0].message


def test_claims_are_used_where_the_data_is_missing(board, tmp_path, monkeypatch):
    from gluepot.board.models import Score

    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "nothing"))
    (tmp_path / "mine" / "swenli").mkdir(parents=True)
    (tmp_path / "mine" / "swenli" / "test.jsonl").write_text('{"id": "1", "prediction": "neutral"}\n')
    describe(tmp_path / "mine" / "mine.json", {"swenli": {"test": {"alpha": 0.2}}})
    assert bring(tmp_path / "mine").problems == []
    assert [(s.value, s.verified) for s in Score.objects.all()] == [(0.2, False)]
