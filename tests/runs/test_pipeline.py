"""The pipeline called as a library: workers receive the suite itself, observers are notified, and scores equal those of the command."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from gluepot.cli import main
from gluepot.errors import WrongUse
from gluepot.models import parse_model
from gluepot.runs.pipeline import RunRequest, SilentObserver, evaluate_model
from gluepot.runs.prediction.execution.executors import LocalExecutor
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite, read_suite
from gluepot.tasks.search_path import BUNDLED


@pytest.mark.parametrize("name", ["majority", "tfidf-svm"])
def test_library_and_command_give_the_same_scores(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite, model = load_suite("pocket"), parse_model(name)
    plan = make_plan(model, suite, tasks=["stance-sv"])
    scores = evaluate_model(RunRequest(suite, model, plan, RunFolder(tmp_path / "program"), resamples=50), LocalExecutor())
    assert capsys.readouterr().err == "", "nobody looks on"
    assert main(["evaluate", name, "pocket/stance-sv", "--out", str(tmp_path / "command"), "--resamples", "50", "--json"]) == 0
    stored = [json.loads((tmp_path / place / "scores.json").read_text()) for place in ("program", "command")]
    assert stored[0] == stored[1] == json.loads(capsys.readouterr().out)
    assert RunFolder(tmp_path / "command").read("scores.json", type(scores)) == scores


def test_workers_receive_the_suite_instead_of_its_name(tmp_path: Path) -> None:
    """The suite is not on the search path, so no process can find it by name."""
    copytree(BUNDLED / "pocket", tmp_path / "faroe")
    suite, model = read_suite(tmp_path / "faroe"), parse_model("tfidf-logistic")
    with pytest.raises(WrongUse, match="no suite 'faroe'"):
        load_suite("faroe")
    plan = make_plan(model, suite, tasks=["stance-sv", "entailment-ru"], limit=10)
    request = RunRequest(suite, model, plan, RunFolder(tmp_path / "run"), resamples=20)
    first = evaluate_model(request, LocalExecutor(2))
    assert {row.task for row in first.scores} == {"stance-sv", "entailment-ru"}
    assert evaluate_model(request, LocalExecutor(2)) == first, "also when it goes on"


def test_observers_are_notified(tmp_path: Path) -> None:
    class Listener(SilentObserver):
        def __init__(self) -> None:
            self.lines: list[str] = []
            self.jobs: list[str] = []

        def say(self, line: str) -> None:
            self.lines.append(line)

        def job_ended(self, report: JobReport) -> None:
            self.jobs.append(report.job)

    suite, model, listener = load_suite("pocket"), parse_model("random"), Listener()
    plan = make_plan(model, suite, tasks=["stance-sv"], seeds=2, limit=5)
    evaluate_model(RunRequest(suite, model, plan, RunFolder(tmp_path / "run"), resamples=20), LocalExecutor(), listener)
    assert sorted(listener.jobs) == ["stance-sv seed 0", "stance-sv seed 1"]
    assert listener.lines == [f"run: {tmp_path / 'run'}"]
