"""End-to-end evaluation on the bundled suite: resumed, rejected, repeated and partial runs."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gluepot.cli import main
from gluepot.runs.evaluation import score_run
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite

TASKS = "stance-sv,paraphrase-sv,entities-da,multi-choice-ru,summaries-eu"


def evaluate(out: Path, *more: str, model: str = "random-weighted") -> int:
    return main(["evaluate", model, "pocket", "--tasks", TASKS, "--out", str(out), "--resamples", "100", *more])


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files that must be identical however the run was produced."""
    files = [*sorted((folder / "predictions").rglob("*.jsonl")), folder / "scores.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    assert evaluate(folder, "--seeds", "2") == 0
    return folder


def test_a_run_holds_manifest_predictions_scores_and_log(undisturbed: Path) -> None:
    manifest = json.loads((undisturbed / "manifest.json").read_text())
    assert manifest["identity"]["model"] == {"adapter": "random-weighted", "argument": "", "settings": {}, "name": "random-weighted"}
    assert set(manifest["identity"]["data"]) >= {"stance-sv/train", "stance-sv/test"}
    assert manifest["packages"]["numpy"]
    assert len(contents(undisturbed)) == 5 * 2 + 1
    assert "stance-sv seed 1" in (undisturbed / "log.txt").read_text()


def test_scores_are_averaged_over_seeds_with_their_spread(undisturbed: Path) -> None:
    scores = json.loads((undisturbed / "scores.json").read_text())
    row = next(r for r in scores["scores"] if r["task"] == "stance-sv" and r["primary"])
    values = [next(s["value"] for s in scores["seeds"][k]["scores"] if s["task"] == "stance-sv" and s["primary"]) for k in ("0", "1")]
    assert row["value"] == pytest.approx(sum(values) / 2)
    assert row["spread"] > 0


def test_a_finished_run_is_not_repeated(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(undisturbed)
    assert evaluate(undisturbed, "--seeds", "2") == 0
    assert capsys.readouterr().err.count("nothing left to do") == 10
    assert contents(undisturbed) == before


def test_two_jobs_at_a_time_give_the_same_files(undisturbed: Path, tmp_path: Path) -> None:
    assert evaluate(tmp_path / "run", "--seeds", "2", "--jobs", "2") == 0
    assert contents(tmp_path / "run") == contents(undisturbed)


def test_failed_tasks_are_listed_in_the_order_of_the_suite(undisturbed: Path) -> None:
    names = ["word-pairs-eu", "analogy-sv", "idioms-da"]
    found = [score_run(RunFolder(undisturbed), dict.fromkeys(order, "why"), 20).failed for order in (names, names[::-1])]
    assert list(found[0]) == list(found[1]) == [name for name in load_suite("pocket").order if name in names]


def test_rejects_a_folder_of_another_run_and_names_the_difference(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(undisturbed, "--seeds", "1") == 2
    assert "seeds: [0, 1] → [0]" in capsys.readouterr().err


def test_a_run_on_other_data_is_refused(undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(undisturbed, tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["identity"]["data"]["stance-sv/test"] = "0123456789abcdef"
    path.write_text(json.dumps(manifest))
    assert evaluate(tmp_path / "run", "--seeds", "2") == 2
    assert "data.stance-sv/test: 0123456789abcdef →" in capsys.readouterr().err


def test_redo_repeats_a_run_and_finds_a_changed_score(undisturbed: Path, tmp_path: Path) -> None:
    assert main(["redo", str(undisturbed), "--jobs", "2"]) == 0
    shutil.copytree(undisturbed, tmp_path / "run")
    path = tmp_path / "run" / "scores.json"
    scores = json.loads(path.read_text())
    scores["scores"][0]["value"] += 0.01
    path.write_text(json.dumps(scores))
    assert main(["redo", str(tmp_path / "run")]) == 1


def test_a_limited_run_is_partial(tmp_path: Path) -> None:
    assert evaluate(tmp_path / "run", "--limit", "10") == 0
    scores = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert scores["partial"] is True
    assert {row["n"] for row in scores["scores"] if row["primary"]} == {10}


def test_a_runs_predictions_are_scored_like_a_submission(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["score", "pocket", str(undisturbed / "predictions" / "seed-0"), "--json"]) == 0
    again = {(s["task"], s["metric"]): s["value"] for s in json.loads(capsys.readouterr().out)["scores"] if "slice" not in s}
    stored = json.loads((undisturbed / "scores.json").read_text())["seeds"]["0"]["scores"]
    assert again == {(s["task"], s["metric"]): s["value"] for s in stored if "slice" not in s}


def test_a_dry_run_shows_the_plan_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(tmp_path / "run", "--dry-run") == 0
    assert "stance-sv" in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_run_killed_twenty_times_ends_with_the_same_bytes(undisturbed: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gluepot", "evaluate", "random-weighted", "pocket", "--tasks", TASKS]
    command += ["--out", str(tmp_path / "run"), "--resamples", "100", "--seeds", "2"]
    chance = random.Random(4242)
    for _ in range(20):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(chance.uniform(0.2, 2.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert contents(tmp_path / "run") == contents(undisturbed)


def test_ctrl_c_prints_how_to_resume_and_leaves_no_process(tmp_path: Path) -> None:
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text("import time\ntime.sleep(300)\n")
    command = [
        sys.executable,
        "-m",
        "gluepot",
        "evaluate",
        f"command:{sys.executable} {sleeper}",
        "pocket/stance-sv",
        "--out",
        str(tmp_path / "run"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "resume with:\n  gluepot evaluate" in said
    assert "Traceback" not in said
    time.sleep(1)
    assert subprocess.run(["pgrep", "-f", str(sleeper)], capture_output=True).returncode == 1


def test_external_predictions_become_a_run_with_the_same_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = Path(__file__).parents[2] / "src" / "gluepot" / "suites" / "pocket" / "sample"
    assert evaluate(tmp_path / "run", model=f"predictions:{sample}") == 0
    capsys.readouterr()
    assert main(["score", "pocket", str(sample), "--json"]) == 0
    direct = {(s["task"], s["metric"]): s["value"] for s in json.loads(capsys.readouterr().out)["scores"] if "slice" not in s}
    stored = json.loads((tmp_path / "run" / "scores.json").read_text())["scores"]
    assert {(s["task"], s["metric"]): s["value"] for s in stored if "slice" not in s}.items() <= direct.items()


def test_evaluate_and_score_share_one_json_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["pocket/stance-sv", "--resamples", "20", "--json"]
    assert main(["evaluate", "random", *words, "--seeds", "2", "--out", str(tmp_path / "run")]) == 0
    run = json.loads(capsys.readouterr().out)
    assert main(["score", "pocket", str(tmp_path / "run" / "predictions" / "seed-0" / "stance-sv" / "test.jsonl"), *words[1:]]) in (0, 1)
    scored = json.loads(capsys.readouterr().out)
    assert set(scored) <= set(run)
    assert set(scored) == set(run["seeds"]["0"])
    assert {name for row in run["scores"] for name in row} == {name for row in run["seeds"]["0"]["scores"] for name in row} | {"spread"}
    first, *values = [rows[0]["value"] for rows in (run["scores"], *(run["seeds"][seed]["scores"] for seed in ("0", "1")))]
    assert first == pytest.approx(sum(values) / 2)
