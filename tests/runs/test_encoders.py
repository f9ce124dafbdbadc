"""Runs of encoders: searches that are killed, bootstraps, diagnostics, ensembles; with tiny random models."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: pip install torch==2.13.0 'gluepot[torch]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'gluepot[torch]'")

from gluepot.cli import main

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def scores(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "scores.json").read_text())
    return found


def words(model: str, place: str, protocol: str, out: Path, *more: str) -> list[str]:
    return ["evaluate", model, place, "--protocol", protocol, "--limit", "8", "--resamples", "50", "--out", str(out), "--json", *more]


@pytest.mark.slow
def test_a_search_that_is_killed_ends_as_an_undisturbed_one(model: str, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert main(words(model, "pocket/stance-sv", "superlim", whole, "--jobs", "2")) == 0
    command = [sys.executable, "-m", "gluepot", *words(model, "pocket/stance-sv", "superlim", broken)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 120
    while len(list(broken.glob("trials/*/*/*/training/*/*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    begun = len(list(broken.glob("trials/*/*/*/training/*/*.json")))
    assert 3 <= begun < 8
    assert not (broken / "scores.json").exists()
    assert main(words(model, "pocket/stance-sv", "superlim", broken)) == 0
    assert scores(broken) == scores(whole)
    search = scores(whole)["searches"][0]
    assert len(search["configurations"]) == 8
    assert search["spread"] is not None
    best = max(row["dev"] for row in search["configurations"] if not row["pruned"])
    assert search["configurations"][search["best"]]["dev"] == best


@pytest.mark.slow
def test_ray_spreads_the_trials_and_ends_the_same(model: str, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs Ray: pip install 'gluepot[ray]'")
    for name, more in (("local", ()), ("ray", ("--on", "ray", "--jobs", "2"))):
        assert main(words(model, "pocket/stance-sv", "superlim", tmp_path / name, *more)) == 0
    assert scores(tmp_path / "ray") == scores(tmp_path / "local")


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


def test_weights_are_not_kept_where_nothing_else_needs_them(model: str, tmp_path: Path, own_cache: Path) -> None:
    assert main(words(model, "pocket/stance-sv", "quick", tmp_path / "run")) == 0
    assert not list(own_cache.glob("trained/*/*"))
    trained = scores(tmp_path / "run")["trained"][0]
    assert trained["task"] == "stance-sv"
    assert trained["settings"] == "learning rate 5e-05, batch 16"
    assert "no negative" in trained["notes"][0]


def test_an_ensemble_averages_what_its_members_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_a_model_without_a_protocol_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "majority", "pocket", "--protocol", "superlim", "--out", str(tmp_path)]) == 2
    assert "not trained by a protocol" in capsys.readouterr().err
    assert main(["evaluate", "majority", "pocket", "--protocol", "superlym", "--out", str(tmp_path)]) == 2
    assert "superlim" in capsys.readouterr().err
