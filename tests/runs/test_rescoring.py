"""Displayed scores are always those of the predictions, whatever else in a run was edited."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.runs.tampering import TASK, TASKS, data_in, edit, make, other_gold, perfect, predictions, rows, set_scores, write_rows

from gluepot.cli import main
from gluepot.runs.evaluation import SCORES, RunScores, score_run
from gluepot.runs.scores.rescoring import rescore
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.search_path import BUNDLED

ANEW = "scores were computed anew from the predictions"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make(tmp_path / "run", seeds=2)


def shown(run: Path, capsys: pytest.CaptureFixture[str], metric: str = "accuracy") -> tuple[float | None, str, dict[str, Any]]:
    """Return a report's value for the first task, its standard error and the run's card."""
    capsys.readouterr()
    assert main(["report", str(run), "--json", "-o", str(run.parent / "report.html")]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    row = next((row for row in report["sections"][0]["rows"] if (row["task"], row["metric"]) == (TASK, metric)), None)
    return (row["cells"][0]["value"] if row else None), printed.err, report["systems"][0]


def true_score(run: Path) -> float | None:
    summary = score_run(RunFolder(run), resamples=2).scores
    return next((row.value for row in summary if (row.task, row.metric) == (TASK, "accuracy")), None)


def test_an_unmodified_run_is_reported_without_notices(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value, said, card = shown(run, capsys)
    assert value == true_score(run)
    assert said == f"report: {run.parent / 'report.html'}\n"
    assert not any(ANEW in remark for remark in card["remarks"])


def test_report_shows_the_score_of_edited_predictions(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, _, _ = shown(run, capsys)
    perfect(run)
    value, said, card = shown(run, capsys)
    assert value == pytest.approx(true_score(run))
    assert value != before
    assert f"{run}: {ANEW}: the predictions of {TASK} (seed 0) have changed." in said
    assert f"{ANEW}: the predictions of {TASK} (seed 0) have changed." in card["remarks"]


def test_report_ignores_numbers_edited_in_scores_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, _, _ = shown(run, capsys)
    edit(run / SCORES, set_scores(0.999))
    value, said, _ = shown(run, capsys)
    assert value == before
    assert "scores.json was edited" in said
    assert "0.999" in said


@pytest.mark.parametrize("kept", [True, False], ids=["computed here before", "from elsewhere"])
def test_report_ignores_forged_scores_with_matching_fingerprints(
    run: Path, own_cache: Path, capsys: pytest.CaptureFixture[str], kept: bool
) -> None:
    honest = rescore(RunFolder(run)).scores
    perfect(run)
    forged = score_run(RunFolder(run), resamples=100)
    write_rows(run, rows(run)[::-1])  # another file, whose fingerprint the forger knows
    true = true_score(run)
    document = json.loads((run / SCORES).read_text())
    set_scores(0.999)(document)
    assert forged.provenance is not None
    document["provenance"]["predictions"] = score_run(RunFolder(run), resamples=100).provenance.predictions  # type: ignore[union-attr]
    (run / SCORES).write_text(json.dumps(document))
    if not kept:
        shutil.rmtree(own_cache)
    value, said, _ = shown(run, capsys)
    assert value == pytest.approx(true)
    assert honest.scores
    assert ANEW in said


def test_edited_data_fingerprints_are_reported_without_changing_scores(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, _, _ = shown(run, capsys)
    edit(run / "manifest.json", lambda manifest: manifest["identity"]["data"].update({f"{TASK}/test": "0123456789abcdef"}))
    value, said, _ = shown(run, capsys)
    assert value == before
    assert f"the data of {TASK}/test has changed since the run" in said


@pytest.mark.parametrize("what", ["predictions", SCORES])
def test_files_swapped_between_runs_are_scored_in_their_new_place(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    runs = [make(tmp_path / "weak", share=0.2), make(tmp_path / "strong", "tfidf-tree", share=0.9)]
    for a, b in (("weak", "swap"), ("strong", "weak"), ("swap", "strong")):
        (tmp_path / b).mkdir(exist_ok=True)
        (tmp_path / a / what).replace(tmp_path / b / what)
    for path in runs:
        value, said, _ = shown(path, capsys)
        assert value == pytest.approx(true_score(path))
        assert ANEW in said


def test_changed_gold_answers_change_the_scores(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _, card = shown(run, capsys)
    monkeypatch.setattr("gluepot.data.folders.data_folder", data_in(other_gold(tmp_path / "other")))
    value, said, after = shown(run, capsys)
    assert value == pytest.approx(true_score(run))
    assert value != before
    assert f"the data of {TASK}/test has changed" in said
    assert said.count(f"the data of {TASK}/test") == 1
    assert after["data"] != card["data"]


def test_without_data_only_scores_from_the_local_cache_are_shown(
    run: Path, tmp_path: Path, own_cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _, _ = shown(run, capsys)
    edit(run / SCORES, set_scores(0.999))
    monkeypatch.setattr("gluepot.data.folders.data_folder", data_in(tmp_path / "nothing"))
    assert shown(run, capsys)[0] == before
    shutil.rmtree(own_cache)
    assert main(["report", str(run)]) == 3
    assert "gluepot data fetch pocket" in capsys.readouterr().err


def cut_short(run: Path) -> None:
    write_rows(run, rows(run)[:-3])


def add_lines(run: Path) -> None:
    write_rows(run, [*rows(run), {"id": "nobody", "prediction": "neutral"}])


def answer_twice(run: Path) -> None:
    write_rows(run, [*rows(run), rows(run)[0]])


def break_a_line(run: Path) -> None:
    predictions(run).write_bytes(b"{broken\n" + predictions(run).read_bytes())


def answer_illegally(run: Path) -> None:
    write_rows(run, [{**rows(run)[0], "prediction": ["no label"]}, *rows(run)[1:]])


HARMS: list[Callable[[Path], None]] = [cut_short, add_lines, answer_twice, break_a_line, answer_illegally]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_file_with_problems_has_no_score_and_the_problem_is_reported(
    run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]
) -> None:
    harm(run)
    value, said, card = shown(run, capsys)
    assert value is None
    assert f"the predictions of {TASK} (seed 0) have changed" in said
    assert any(f"seed-0/{TASK}/test.jsonl" in remark for remark in card["remarks"])


def test_a_task_with_deleted_predictions_is_reported_missing(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (0, 1):
        predictions(run, seed=seed).unlink()
    value, said, card = shown(run, capsys)
    assert value is None
    assert f"the predictions of {TASK} (seed 0), {TASK} (seed 1) are gone" in said
    assert f"{TASK}: the run has no predictions of it." in card["remarks"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"suite": 5}', b"[" * 100_000])
def test_a_broken_scores_json_is_ignored(run: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    before, _, _ = shown(run, capsys)
    (run / SCORES).write_bytes(content)
    value, said, _ = shown(run, capsys)
    assert value == before
    assert f"{ANEW}: scores.json is broken, or of another version of gluepot." in said


def test_corrupted_cached_scores_are_recomputed(run: Path, own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, _, _ = shown(run, capsys)
    for path in (own_cache / "scores").iterdir():
        path.write_bytes(path.read_bytes().replace(str(before).encode(), b"0.999"))
    assert shown(run, capsys)[0] == before
    for path in (own_cache / "scores").iterdir():
        path.write_bytes(b"\0" * 100)
    assert shown(run, capsys)[0] == before


def test_cached_scores_of_a_copied_run_are_found(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copytree(run, tmp_path / "copy")
    monkeypatch.setattr("gluepot.runs.scores.rescoring.score_run", lambda *_: pytest.fail("computed again"))
    assert rescore(RunFolder(copy)).scores == RunFolder(run).read(SCORES, RunScores)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seeds": [0, 0]}, "each once"),
        ({"seeds": []}, "some are needed"),
        ({"seeds": [-1]}, "no such run"),
        ({"tasks": [TASK, TASK]}, "each once"),
        ({"tasks": ["stance-se"]}, "Did you mean 'stance-sv'?"),
        ({"limit": -3}, "no such run"),
        ({"suite": "pockets"}, "Did you mean 'pocket'?"),
    ],
)
def test_rejects_an_impossible_manifest(run: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], says: str) -> None:
    edit(run / "manifest.json", lambda manifest: manifest["identity"].update(change))
    assert main(["report", str(run)]) in (1, 2)
    assert says in capsys.readouterr().err


def test_a_limited_run_stays_partial_despite_an_edited_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make(tmp_path / "run", limit=10)
    edit(run / "manifest.json", lambda manifest: manifest.update(partial=False))
    assert shown(run, capsys)[2]["partial"] is True
    other = make(tmp_path / "other")
    for task in TASKS:
        write_rows(other, rows(other, task)[:5], task)
    edit(other / "manifest.json", lambda manifest: manifest["identity"].update(limit=5))
    assert shown(other, capsys)[2]["partial"] is True


def test_reports_seeds_that_the_manifest_omits(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(run / "manifest.json", lambda manifest: manifest["identity"].update(seeds=[1]))
    assert "predictions of seed-0 are there too" in shown(run, capsys)[1]


def test_compare_and_score_report_edited_predictions(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = make(run.parent / "other", "tfidf-tree")
    perfect(run)
    says = f"the predictions of {TASK} (seed 0) are not those that scores.json was computed from"
    assert main(["compare", str(run), str(other), "--resamples", "20"]) == 0
    assert says in capsys.readouterr().err
    assert main(["score", "pocket", str(run / "predictions" / "seed-0"), "--resamples", "20", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert any(says in notice for notice in result["notices"])
    assert max(score["value"] for score in result["scores"] if score["task"] == TASK) == 1


def test_compare_and_score_report_changed_data(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make(run.parent / "other", "tfidf-tree")
    monkeypatch.setattr("gluepot.data.folders.data_folder", data_in(other_gold(tmp_path / "gold")))
    says = f"the data of {TASK}/test has changed since the run"
    assert main(["compare", str(run), str(other), "--resamples", "20"]) == 0
    assert capsys.readouterr().err.count(says) == 2
    assert main(["score", "pocket", str(run / "predictions" / "seed-0"), "--resamples", "20"]) == 0
    assert says in " ".join(capsys.readouterr().out.split())


def test_ignores_an_unrelated_manifest_near_a_submission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(BUNDLED / "pocket" / "sample", tmp_path / "site" / "sample")
    (tmp_path / "site" / "manifest.json").write_text('{"name": "a page", "icons": []}')
    assert main(["score", "pocket", str(tmp_path / "site" / "sample"), "--resamples", "20"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_compare_refuses_a_file_with_problems(run: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]) -> None:
    other = make(run.parent / "other", "tfidf-tree")
    harm(run)
    assert main(["compare", str(run), str(other)]) == 1
    assert f"{TASK}/test.jsonl" in capsys.readouterr().err


def test_provenance_lists_the_inputs_of_the_scores(run: Path) -> None:
    provenance = json.loads((run / SCORES).read_text())["provenance"]
    assert set(provenance["predictions"]) == {f"{task} (seed {seed})" for task in TASKS for seed in (0, 1)}
    assert {f"{TASK}/test", f"{TASK}/train"} <= set(provenance["data"])
    assert provenance["declaration"]
    assert provenance["code"]
    assert provenance["resamples"] == 100
