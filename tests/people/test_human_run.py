"""Runs of role human: scoring, `compare`, `report` and overwriting."""

import json
from pathlib import Path

import pytest
from tests.people.test_human import TASK, examples, votes_on, write_votes

from gluepot.cli import main
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.store import RunFolder


@pytest.fixture
def human_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run of human votes on thirty of the forty items."""
    monkeypatch.chdir(tmp_path)
    path = write_votes(tmp_path / "votes.jsonl", votes_on(examples()[:30], raters=4))
    assert main(["human", TASK, str(path), "--out", "people", "--resamples", "50"]) == 0
    return tmp_path / "people"


@pytest.fixture
def system_run(human_run: Path) -> Path:
    assert main(["evaluate", "majority", TASK, "--out", "system"]) == 0
    return human_run.parent / "system"


def test_human_run_is_scored_on_its_items_and_not_ranked(human_run: Path) -> None:
    scores = rescore(RunFolder(human_run)).scores.scores
    assert [(score.value, score.n, score.primary) for score in scores[:1]] == [(1.0, 30, False)]
    facts = read_manifest(RunFolder(human_run)).people
    assert facts is not None
    assert (facts.items, facts.votes, facts.raters) == (30, 120, 4)


def test_compare_uses_the_items_that_both_answered(human_run: Path, system_run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    assert main(["compare", str(human_run), str(system_run), "--json"]) == 0
    [row] = json.loads(capfd.readouterr().out)["comparisons"]
    assert (row["n"], row["value_a"]) == (30, 1.0)
    assert row["value_b"] < 0.5


def test_report_shows_people_beside_systems(human_run: Path, system_run: Path) -> None:
    assert main(["report", str(human_run), str(system_run), "-o", "page.html"]) == 0
    assert "human" in Path("page.html").read_text()


def test_a_folder_with_something_else_is_not_overwritten(human_run: Path, system_run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    votes = str(human_run.parent / "votes.jsonl")
    assert main(["human", TASK, votes, "--out", str(system_run)]) == 2
    assert "holds no run of people" in capfd.readouterr().err
    assert main(["human", TASK, votes, "--out", str(human_run), "--resamples", "50"]) == 0
