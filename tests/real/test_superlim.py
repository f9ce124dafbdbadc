"""Figures of the Superlim paper, recomputed from the predictions published by its authors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gluepot.records import Result
from gluepot.runs.reproduction import reproduce
from gluepot.runs.scores.scoring import score_submission
from gluepot.submissions.reading import read_submission
from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
MODELS = ["KB-bert-base-swedish-cased", "KBLab-megatron-bert-large-swedish-cased-165k", "SVM", "Random", "gpt-sw3-126m", "gpt-sw3-1.3b"]
WRONG_IN_PRINT = {("swediagnostics", "n"), ("swewinogender", "gender-parity")}
"""Errors in print: the number of items of SweNLI, and a division by items instead of triples."""


@pytest.fixture(scope="module")
def results(submissions: Path) -> dict[str, Result]:
    return {model: score_submission(SUITE, read_submission(SUITE, submissions / "superlim" / model), resamples=50) for model in MODELS}


@pytest.mark.parametrize("model", MODELS)
def test_every_stated_score_is_recomputed(results: dict[str, Result], model: str) -> None:
    rows = results[model].stated
    assert len(rows) >= 4
    assert {(row.task, row.metric) for row in rows if not row.agrees} <= WRONG_IN_PRINT


@pytest.mark.parametrize("model", MODELS)
def test_published_submissions_have_no_problems(results: dict[str, Result], model: str) -> None:
    assert results[model].problems == []


def test_an_extra_diagnostics_file_is_ignored_with_a_notice(results: dict[str, Result]) -> None:
    assert any("swediagnostics has no dev split" in notice for notice in results["SVM"].notices)


@pytest.mark.parametrize(
    ("model", "mean"), [("KB-bert-base-swedish-cased", 0.501), ("KBLab-megatron-bert-large-swedish-cased-165k", 0.534), ("SVM", 0.192)]
)
def test_the_mean_of_the_suite_matches_the_paper(results: dict[str, Result], model: str, mean: float) -> None:
    overall = {row.split: row for row in results[model].overall}["test"]
    assert overall.value == pytest.approx(mean, abs=6e-4)
    assert overall.low < overall.value < overall.high


def test_gender_parity_is_over_triples_and_reported_beside_alpha(results: dict[str, Result]) -> None:
    scores = {s.metric: s for s in results["KB-bert-base-swedish-cased"].scores if s.task == "swewinogender"}
    assert (scores["gender-parity"].value, scores["gender-parity"].n) == (1.0, 208)
    assert (scores["alpha-nominal"].n, round(scores["alpha-nominal"].value, 4)) == (624, -0.3323)


def test_diagnostics_have_four_coarse_and_thirty_three_fine_slices(results: dict[str, Result]) -> None:
    names = [s.slice for s in results["SVM"].scores if s.task == "swediagnostics" and s.slice]
    assert sum("/" not in name for name in names) == 4
    assert len(names) == 4 + 33
    assert "logic/Double negation" in names


def test_recomputed_cells_of_the_paper_that_differ_are_explained(submissions: Path) -> None:
    cells = reproduce(SUITE, submissions / "superlim")
    computed = [cell for cell in cells if cell.mark != "?"]
    assert len(computed) >= 100
    assert [cell for cell in computed if cell.mark in "~≠" and not cell.note] == []
    assert {(cell.model, cell.task) for cell in computed if cell.mark == "≠"} == {("Decision Tree", "overall"), ("Random", "overall")}


def test_score_prints_one_json_document(submissions: Path) -> None:
    command = [sys.executable, "-m", "gluepot", "score", "superlim", str(submissions / "superlim" / "SVM"), "--split", "test", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert done.stderr == ""
    assert document["suite"] == "superlim"
    assert {score["split"] for score in document["scores"]} == {"test"}
    faq = next(s for s in document["scores"] if (s["task"], s["metric"]) == ("swefaq", "alpha-nominal"))
    assert (faq["n"], faq["primary"], round(faq["value"], 3)) == (109, True, 0.038)
    assert faq.keys() >= {"low", "high", "value", "n", "primary"}
