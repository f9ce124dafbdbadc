"""Files of predictions that are broken, or not those of the run: a sentence with the place and the next step, in every command."""

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
    """A run that another process could make again."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert evaluate(folder) == 0
    return folder


@pytest.fixture
def run(evaluated: Path, tmp_path: Path) -> Path:
    return shutil.copytree(evaluated, tmp_path / "run")


def evaluate(folder: Path, model: str = "tfidf-logistic") -> int:
    return main(["evaluate", model, "pocket", "--tasks", f"{TASK},paraphrase-sv", "--out", str(folder), "--resamples", "100"])


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_read_as_what_is_wrong_with_it(run: Path, line: bytes) -> None:
    predictions(run).write_bytes(line + predictions(run).read_bytes())
    lines = list(RunFolder(run).predictions(TASK, "test", 0))
    assert [isinstance(one, ValueError) for one in lines] == [True] + [False] * 40
    assert str(lines[0])


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_no_command_meets_a_broken_line_with_a_traceback(run: Path, line: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    predictions(run).write_bytes(predictions(run).read_bytes() + line)
    assert main(["report", str(run), "-o", str(run / "page.html"), "--json"]) == 0
    assert f"{TASK}/test.jsonl:41" in capsys.readouterr().out
    assert main(["compare", str(run), str(run)]) == 1
    assert f"{TASK}/test.jsonl:41" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["no JSON", "not UTF-8", "deep nesting"])
def test_a_run_does_not_go_on_from_a_broken_line(run: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    predictions(run).write_bytes(predictions(run).read_bytes() + BROKEN[name])
    assert evaluate(run) == 1
    said = capsys.readouterr().err
    assert f"{TASK}/test.jsonl:41: " in said
    assert "Delete the file" in said


@pytest.mark.parametrize("harm", [add_lines, answer_twice, answer_illegally], ids=lambda harm: harm.__name__)
def test_a_run_does_not_go_on_from_a_file_that_is_not_its_own(
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


def test_a_run_that_goes_on_says_that_its_predictions_were_edited(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    perfect(run)
    assert evaluate(run) == 0
    printed = capsys.readouterr()
    assert f"the predictions of {TASK} (seed 0) are not those that scores.json was computed from" in printed.err
    assert "1.000" in printed.out


def test_a_run_that_goes_on_says_that_scores_json_was_edited(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (run / SCORES).read_bytes()
    edit(run / SCORES, set_scores(0.999))
    assert evaluate(run) == 0
    assert "scores.json was edited" in capsys.readouterr().err
    assert (run / SCORES).read_bytes() == before


def test_redo_compares_with_the_predictions_and_not_with_what_scores_json_says(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redo", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notices"] == []
    perfect(run)
    assert main(["redo", str(run)]) == 1
    printed = capsys.readouterr()
    assert f"{TASK} accuracy: stored 1.0, now" in printed.out
    assert f"the predictions of {TASK} (seed 0) have changed" in printed.err


def test_redo_says_no_to_a_run_whose_scores_json_was_edited(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(run / SCORES, set_scores(0.999))
    assert main(["redo", str(run)]) == 1
    printed = capsys.readouterr()
    assert "0.999" not in printed.out
    assert "scores.json was edited" in printed.err


@pytest.mark.parametrize("harm", [cut_short, break_a_line, lambda run: predictions(run).unlink()], ids=["cut", "broken", "deleted"])
def test_redo_says_no_to_a_run_with_a_harmed_file(run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]) -> None:
    harm(run)
    assert main(["redo", str(run)]) == 1
    assert f"{TASK} accuracy: stored None, now" in capsys.readouterr().out


def ensemble(run: Path) -> int:
    return evaluate(run.parent / "both", f"ensemble:{run},{run}")


def test_an_ensemble_of_edited_predictions_says_so(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ensemble(run) == 0
    assert "are not those" not in capsys.readouterr().err
    shutil.rmtree(run.parent / "both")
    perfect(run)
    assert ensemble(run) == 0
    assert f"the predictions of {TASK} (seed 0) are not those that scores.json was computed from" in capsys.readouterr().err


@pytest.mark.parametrize("harm", [cut_short, answer_twice, break_a_line], ids=lambda harm: harm.__name__)
def test_an_ensemble_leaves_out_a_task_that_a_member_has_a_harmed_file_of(
    run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]
) -> None:
    harm(run)
    assert ensemble(run) == 0
    printed = capsys.readouterr()
    assert f"no predictions for {TASK}: ensemble: {predictions(run)}" in printed.out.replace("\n", "")
    assert "paraphrase-sv" in printed.out


@pytest.mark.parametrize("scores", [[], [0.25] * 4])
def test_an_ensemble_counts_the_scores_of_its_members(run: Path, capsys: pytest.CaptureFixture[str], scores: list[float]) -> None:
    write_rows(run, [{**row, "scores": scores} for row in rows(run)])
    assert ensemble(run) == 0
    assert f"{len(scores)} scores for item" in " ".join(capsys.readouterr().out.split())


def test_a_program_whose_scores_are_no_numbers_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'prediction': 'neutral', 'scores': 'high'}), flush=True)\n"
    )
    assert main(["evaluate", f"command:{sys.executable} {program}", f"pocket/{TASK}", "--out", str(tmp_path / "run")]) == 1
    assert "its scores are not a list of finite numbers" in capsys.readouterr().err
