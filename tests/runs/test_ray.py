"""The same run on a Ray cluster: the same bytes, also when a worker is killed under a job."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'gluepot[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]

MODEL = """
import json, sys, time
for line in sys.stdin:
    item = json.loads(line)
    time.sleep(0.15)
    print(json.dumps({"id": item["id"], "prediction": item["labels"][len(item["inputs"]["text"]) % len(item["labels"])]}), flush=True)
"""


def predictions(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted((folder / "predictions").rglob("*.jsonl"))}


def workers(folder: Path) -> list[int]:
    """The Ray workers of the run in `folder`: parents of the model's program, whose path is in the folder."""
    found = subprocess.run(["pgrep", "-f", str(folder / "model.py")], capture_output=True, text=True).stdout.split()
    parents = []
    for pid in found:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            parent = next(line.split()[1] for line in status.splitlines() if line.startswith("PPid"))
            if b"ray::" in Path(f"/proc/{parent}/cmdline").read_bytes():
                parents.append(int(parent))
        except OSError:  # it has just ended
            continue
    return parents


def test_a_killed_ray_worker_is_replaced_and_the_files_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    base = [sys.executable, "-m", "gluepot", "evaluate", f"command:{sys.executable} {tmp_path / 'model.py'}", "pocket/stance-sv"]
    base += ["pocket/entailment-ru", "--resamples", "20", "--out"]
    command = [*base, str(tmp_path / "ray"), "--on", "ray", "--jobs", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline, killed = time.monotonic() + 60, 0
    while not killed and time.monotonic() < deadline and process.poll() is None:
        for pid in workers(tmp_path)[:1]:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        time.sleep(0.1)
    _, said = process.communicate(timeout=120)
    assert killed == 1
    assert process.returncode == 0, said.decode()
    subprocess.run([*base, str(tmp_path / "local")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert predictions(tmp_path / "ray") == predictions(tmp_path / "local")
    assert (tmp_path / "ray" / "scores.json").read_bytes() == (tmp_path / "local" / "scores.json").read_bytes()
