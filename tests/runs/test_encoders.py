"""Runs of encoders with tiny random models: killed searches, bootstraps, diagnostics and ensembles."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: pip install torch==2.13.0 'gluepot[torch]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'gluepot[torch]'")

from gluepot.cli import main
from gluepot.models import parse_model, precision_probe
from gluepot.models.protocols import Settings
from gluepot.runs.prediction.model_selection.search import shared_model_path
from gluepot.runs.prediction.plan import Job
from gluepot.tasks.declarations import load_suite

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


pytestmark = pytest.mark.usefixtures("own_cache")


def scores(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "scores.json").read_text())
    return found


def words(model: str, place: str, protocol: str, out: Path, *more: str) -> list[str]:
    return ["evaluate", model, place, "--protocol", protocol, "--limit", "8", "--resamples", "50", "--out", str(out), "--json", *more]


@pytest.mark.slow
def test_search_results_do_not_depend_on_interruption_or_executor(model: str, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert main(words(model, "pocket/stance-sv", "superlim", whole, "--jobs", "2")) == 0
    begun = kill_a_search(words(model, "pocket/stance-sv", "superlim", broken), broken)
    assert 3 <= begun < 8
    assert not (broken / "scores.json").exists()
    assert main(words(model, "pocket/stance-sv", "superlim", broken)) == 0
    assert scores(broken) == scores(whole)
    search = scores(whole)["searches"][0]
    assert len(search["configurations"]) == 8
    assert search["spread"] is not None
    best = max(row["dev"] for row in search["configurations"] if not row["pruned"])
    assert search["configurations"][search["best"]]["dev"] == best
    pytest.importorskip("ray", reason="its second half needs Ray: pip install 'gluepot[ray]'")
    assert main(words(model, "pocket/stance-sv", "superlim", tmp_path / "ray", "--on", "ray", "--jobs", "2")) == 0
    assert scores(tmp_path / "ray") == scores(whole)


def kill_a_search(command: list[str], folder: Path) -> int:
    """Kill a running search and return the number of its finished trainings."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gluepot", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(list(folder.glob("trials/*/*/*/training/*/*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return len(list(folder.glob("trials/*/*/*/training/*/*.json")))


def test_ten_bootstraps_have_both_intervals(model: str, tmp_path: Path) -> None:
    command = ["evaluate", "random-weighted", "pocket/stance-sv", "--protocol", "scandeval", "--out", str(tmp_path / "run"), "--json"]
    assert main(command) == 0
    rows = scores(tmp_path / "run")["bootstraps"]
    assert [len(row["raw"]) for row in rows] == [10] * len(rows)
    for row in rows:
        assert row["published_low"] < row["mean"] < row["published_high"]
        assert row["high"] - row["low"] > row["published_high"] - row["published_low"]


def test_a_diagnostic_reuses_the_trained_model(model: str, tmp_path: Path, own_cache: Path, real_data: Path) -> None:
    both, alone = tmp_path / "both", tmp_path / "alone"
    place = "russian-superglue/LiDiRus"
    assert main(words(model, "russian-superglue/TERRa", "quick", both, "--split", "test", "--tasks", "LiDiRus")) == 0
    kept = list(own_cache.glob("trained/*/model.safetensors"))
    assert len(kept) == 1
    before = kept[0].stat().st_mtime_ns
    assert main(words(model, place, "quick", alone, "--split", "test")) == 0
    assert [path.stat().st_mtime_ns for path in own_cache.glob("trained/*/model.safetensors")] == [before]
    name = "predictions/seed-0/LiDiRus/test.jsonl"
    assert (both / name).read_bytes() == (alone / name).read_bytes()


def test_redo_trains_again_without_reading_cached_weights(
    model: str, tmp_path: Path, own_cache: Path, real_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(model, "russian-superglue/TERRa", "quick", tmp_path / "run", "--split", "test", "--tasks", "LiDiRus")) == 0
    kept = next(own_cache.glob("trained/*/model.safetensors"))
    kept.write_bytes(b"not the weights")
    assert main(["redo", str(tmp_path / "run"), "--trust"]) == 0
    assert kept.read_bytes() == b"not the weights", "nobody looked"
    assert "is broken" not in capsys.readouterr().err


def test_weights_are_not_cached_unless_another_task_needs_them(model: str, tmp_path: Path, own_cache: Path) -> None:
    assert main(words(model, "pocket/stance-sv", "quick", tmp_path / "run")) == 0
    assert not list(own_cache.glob("trained/*/*"))
    trained = scores(tmp_path / "run")["trained"][0]
    assert trained["task"] == "stance-sv"
    assert trained["settings"] == "learning rate 0.0002, batch 16", "four times the protocol's, for so narrow a model"
    assert "no negative" in trained["notes"][0]


def test_ensemble_averages_the_probabilities_of_its_members(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    members = [tmp_path / "logistic", tmp_path / "forest"]
    for folder in members:
        assert main(["evaluate", f"tfidf-{folder.name}", "pocket/stance-sv", "pocket/paraphrase-sv", "--out", str(folder), "--json"]) == 0
    out = tmp_path / "both"
    joined = ["evaluate", f"ensemble:{members[0]},{members[1]}", "pocket/stance-sv", "pocket/paraphrase-sv", "--out", str(out), "--json"]
    assert main(joined) == 0
    name = "predictions/seed-0/stance-sv/test.jsonl"
    lines = [[json.loads(line) for line in (folder / name).read_text().splitlines()] for folder in (*members, out)]
    for one, other, mean in zip(*lines, strict=True):
        assert mean["scores"] == pytest.approx([(a + b) / 2 for a, b in zip(one["scores"], other["scores"], strict=True)], abs=1e-5)
    capsys.readouterr()
    assert main(["evaluate", "majority", "pocket/stance-sv", "--out", str(tmp_path / "majority"), "--json"]) == 0
    assert main(["evaluate", f"ensemble:{tmp_path / 'majority'}", "pocket/stance-sv", "--out", str(tmp_path / "none")]) == 1
    assert "kept no probabilities" in capsys.readouterr().err


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that replaces the program that probes bf16, with an empty cache of results."""

    def play(program: str) -> None:
        begun = 'import os\nprint(\'{"precision": "bf16"}\', flush=True)\n'
        (tmp_path / "child.py").write_text(begun + program)
        precision_probe._once.cache_clear()

    (tmp_path / "cache" / "precision").unlink()
    monkeypatch.setattr(precision_probe, "PROGRAM", (sys.executable, str(tmp_path / "child.py")))
    yield play
    precision_probe._once.cache_clear()


def test_falls_back_to_fp32_where_bf16_crashes_and_keeps_it_when_resuming(
    model: str, tmp_path: Path, own_cache: Path, child: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    child("os.kill(os.getpid(), 4)\n")
    assert main(words(model, "pocket/stance-sv", "quick", out)) == 0
    reason = "bf16 tried: died of SIGILL (illegal instruction), so fp32"
    assert f"precision: fp32 ({reason})" in capsys.readouterr().err
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["precision"] == reason
    assert manifest["identity"]["precision"] == "fp32"
    assert manifest["identity"]["model"]["name"] == model
    training = json.loads((out / "training" / "seed-0" / "stance-sv.json").read_text())
    assert training["trained"]["precision"] == "fp32"
    assert main(words(model, "pocket/stance-sv", "quick", out, "--precision", "bf16")) == 2
    said = capsys.readouterr().err
    assert "bf16 does not work here (tried: died of SIGILL (illegal instruction)). Take --precision fp32" in said
    rmtree(own_cache / "precision")
    child('print(\'{"precision": "bf16", "error": 0.001, "gain": 9}\')\n')
    assert main(words(model, "pocket/stance-sv", "quick", out)) == 0  # nothing is left to do, and precisions are not mixed
    assert "precision: fp32 (as before)" in capsys.readouterr().err
    assert main(["redo", str(out), "--trust"]) == 0
    assert main(words(model, "pocket/stance-sv", "quick", out, "--precision", "bf16")) == 2
    assert "precision" in capsys.readouterr().err


def test_weights_are_cached_per_precision(tmp_path: Path) -> None:
    suite = load_suite("pocket")
    job = Job("pocket", "stance-sv", ("stance-sv",), "test", 0)
    places = {shared_model_path(parse_model("encoder:x", precision=own), suite, job, Settings(), None) for own in ("fp32", "bf16")}
    assert len(places) == 2


def test_rejects_a_protocol_for_a_model_not_trained_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "majority", "pocket", "--protocol", "superlim", "--out", str(tmp_path)]) == 2
    assert "not trained by a protocol" in capsys.readouterr().err
    assert main(["evaluate", "majority", "pocket", "--protocol", "superlym", "--out", str(tmp_path)]) == 2
    assert "superlim" in capsys.readouterr().err
