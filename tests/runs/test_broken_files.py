"""Prediction files that are malformed or do not belong to the run: every command reports the location and the next step."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.runs.tampering import BROKEN, TASK, edit, perfect, predictions, rows, set_scores, write_rows
from tests.runs.test_rescoring import add_lines, answer_illegally, answer_twice, break_a_line, cut_short

from gluepot.cli import main
from gluepot.runs.evaluation import SCORES
from gluepot.runs.storage.store import RunFolder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluated run that another process can reproduce."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert evaluate(folder) == 0
    return folder


@pytest.fixture
def run(evaluated: Path, tmp_path: Path) -> Path:
    return shutil.copytree(evaluated, tmp_path / "run")


def evaluate(folder: Path, model: str = "tfidf-logistic") -> int:
    return main(["evaluate", model, "pocket", "--tasks", f"{TASK},paraphrase-sv", "--out", str(folder), "--resamples", "100"])


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_malformed_line_is_read_as_an_error(run: Path, line: bytes) -> None:
    predictions(run).write_bytes(line + predictions(run).read_bytes())
    lines = list(RunFolder(run).predictions(TASK, "test", 0))
    assert [isinstance(one, ValueError) for one in lines] == [True] + [False] * 40
    assert str(lines[0])


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_report_and_compare_locate_a_malformed_line(run: Path, line: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    predictions(run).write_bytes(predictions(run).read_bytes() + line)
    assert main(["report", str(run), "-o", str(run / "page.html"), "--json"]) == 0
    assert f"{TASK}/test.jsonl:41" in capsys.readouterr().out
    assert main(["compare", str(run), str(run)]) == 1
    assert f"{TASK}/test.jsonl:41" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["no JSON", "not UTF-8", "deep nesting"])
def test_evaluate_does_not_resume_from_a_malformed_line(run: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    predictions(run).write_bytes(predictions(run).read_bytes() + BROKEN[name])
    assert evaluate(run) == 1
    said = capsys.readouterr().err
    assert f"{TASK}/test.jsonl:41: " in said
    assert "Delete the file" in said


@pytest.mark.parametrize("harm", [add_lines, answer_twice, answer_illegally], ids=lambda harm: harm.__name__)
def test_evaluate_does_not_resume_from_invalid_predictions(
    run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]
) -> None:
    harm(run)
    before = predictions(run).read_bytes()
    assert evaluate(run) == 1
    assert f"{predictions(run)}" in capsys.readouterr().err
    assert predictions(run).read_bytes() == before
    predictions(run).unlink()
    assert evaluate(run) == 0
    assert len(rows(run)) == 40


def test_evaluate_reports_edited_predictions_when_resuming(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    perfect(run)
    assert evaluate(run) == 0
    printed = capsys.readouterr()
    assert f"the predictions of {TASK} (seed 0) are not those that scores.json was computed from" in printed.err
    assert "1.000" in printed.out


def test_evaluate_reports_an_edited_scores_json_when_resuming(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (run / SCORES).read_bytes()
    edit(run / SCORES, set_scores(0.999))
    assert evaluate(run) == 0
    assert "scores.json was edited" in capsys.readouterr().err
    assert (run / SCORES).read_bytes() == before


def test_redo_compares_with_the_predictions_instead_of_scores_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redo", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notices"] == []
    perfect(run)
    assert main(["redo", str(run)]) == 1
    printed = capsys.readouterr()
    assert f"{TASK} accuracy: stored 1.0, now" in printed.out
    assert f"the predictions of {TASK} (seed 0) have changed" in printed.err


def test_redo_fails_for_an_edited_scores_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(run / SCORES, set_scores(0.999))
    assert main(["redo", str(run)]) == 1
    printed = capsys.readouterr()
    assert "0.999" not in printed.out
    assert "scores.json was edited" in printed.err


@pytest.mark.parametrize("harm", [cut_short, break_a_line, lambda run: predictions(run).unlink()], ids=["cut", "broken", "deleted"])
def test_redo_fails_for_damaged_predictions(run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]) -> None:
    harm(run)
    assert main(["redo", str(run)]) == 1
    assert f"{TASK} accuracy: stored None, now" in capsys.readouterr().out


def ensemble(run: Path) -> int:
    return evaluate(run.parent / "both", f"ensemble:{run},{run}")


def test_ensemble_reports_edited_predictions(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ensemble(run) == 0
    assert "are not those" not in capsys.readouterr().err
    shutil.rmtree(run.parent / "both")
    perfect(run)
    assert ensemble(run) == 0
    assert f"the predictions of {TASK} (seed 0) are not those that scores.json was computed from" in capsys.readouterr().err


@pytest.mark.parametrize("harm", [cut_short, answer_twice, break_a_line], ids=lambda harm: harm.__name__)
def test_ensemble_skips_a_task_with_damaged_predictions(
    run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]
) -> None:
    harm(run)
    assert ensemble(run) == 0
    printed = capsys.readouterr()
    assert f"no predictions for {TASK}: ensemble: {predictions(run)}" in printed.out.replace("\n", "")
    assert "paraphrase-sv" in printed.out


@pytest.mark.parametrize("scores", [[], [0.25] * 4])
def test_ensemble_checks_the_number_of_scores_per_item(run: Path, capsys: pytest.CaptureFixture[str], scores: list[float]) -> None:
    write_rows(run, [{**row, "scores": scores} for row in rows(run)])
    assert ensemble(run) == 0
    assert f"{len(scores)} scores for item" in " ".join(capsys.readouterr().out.split())


def test_rejects_scores_that_are_not_a_list_of_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'prediction': 'neutral', 'scores': 'high'}), flush=True)\n"
    )
    assert main(["evaluate", f"command:{sys.executable} {program}", f"pocket/{TASK}", "--out", str(tmp_path / "run")]) == 1
    assert "its scores are not a list of finite numbers" in capsys.readouterr().err
