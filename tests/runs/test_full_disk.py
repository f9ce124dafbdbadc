"""A disk that fills up while a run is written: a clear message, no partial writes, and a run that resumes once there is space."""

import subprocess
import sys
from pathlib import Path

import pytest

BYTES = 4096
"""Maximum file size, less than the predictions of one task."""
COMMAND = [sys.executable, "-m", "gluepot", "evaluate", "random", "pocket", "--tasks", "stance-sv,entities-da", "--resamples", "100"]
LIMITED = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0})); os.execv(sys.argv[1], sys.argv[1:])"


def run(out: Path, limit: int | None = None) -> "subprocess.CompletedProcess[str]":
    before = [sys.executable, "-c", LIMITED.format(limit)] if limit else []
    return subprocess.run([*before, *COMMAND, "--out", str(out)], capture_output=True, text=True)


def contents(folder: Path) -> dict[str, bytes]:
    files = [*(folder / "predictions").rglob("*.jsonl"), folder / "scores.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("limit", [BYTES, 200], ids=["answers", "manifest"])
def test_a_full_disk_is_reported_and_the_run_resumes_once_there_is_space(tmp_path: Path, limit: int) -> None:
    full = run(tmp_path / "run", limit)
    assert full.returncode == 1
    assert "Traceback" not in full.stderr
    assert "File too large. What was finished before is kept; the same command goes on from there." in full.stderr
    assert str(tmp_path / "run") in full.stderr.splitlines()[-1]
    for path in (tmp_path / "run").rglob("*.jsonl"):
        assert path.read_bytes().endswith(b"}\n") or not path.read_bytes(), "no half batch"
    assert run(tmp_path / "run").returncode == 0
    assert run(tmp_path / "undisturbed").returncode == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "undisturbed")
