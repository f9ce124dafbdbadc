"""Runs on a Ray cluster write the same bytes, also on an existing cluster and when a worker is killed during a job."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from gluepot.errors import GluepotError, WrongUse
from gluepot.models import parse_model, precision_probe
from gluepot.models.precision import PrecisionChoice
from gluepot.runs.prediction.execution.executors import RayExecutor
from gluepot.runs.prediction.plan import make_plan
from gluepot.tasks.declarations import load_suite

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


def scores(folder: Path) -> bytes:
    return (folder / "scores.json").read_bytes()


@pytest.fixture
def cluster() -> Iterator[tuple[str, dict[str, str]]]:
    """Address of an externally started cluster, and the environment with its token."""
    folder = Path(mkdtemp(prefix="ray-"))  # a short path, since sockets are created below it
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(32))
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_USAGE_STATS_ENABLED": "0"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("ray"), "start", "--head", "--block", "--num-cpus", "2", "--include-dashboard", "false"]
    command += ["--node-ip-address", "127.0.0.1", "--port", str(port), "--temp-dir", folder]
    head = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        assert head.stdout is not None
        assert any("Ray runtime started" in line for line in head.stdout)
        yield f"127.0.0.1:{port}", environment
    finally:
        head.terminate()  # it ends its own processes
        try:
            head.communicate(timeout=40)
        finally:
            if head.poll() is None:
                os.killpg(head.pid, signal.SIGKILL)
            rmtree(folder, ignore_errors=True)


def test_a_cluster_at_an_address_gives_the_same_files(cluster: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    address, environment = cluster
    base = [sys.executable, "-m", "gluepot", "evaluate", "random-weighted", "pocket", "--tasks", "stance-sv,entities-da,summaries-eu"]
    base += ["--resamples", "20", "--out"]
    joined = subprocess.run(
        [*base, str(tmp_path / "ray"), "--on", "ray", "--address", address], env=environment, capture_output=True, text=True
    )
    assert joined.returncode == 0, joined.stderr
    subprocess.run([*base, str(tmp_path / "local")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert len(predictions(tmp_path / "ray")) == 3
    assert predictions(tmp_path / "ray") == predictions(tmp_path / "local")
    assert scores(tmp_path / "ray") == scores(tmp_path / "local")


def test_reports_an_address_without_a_cluster_and_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def refuse(**settings: object) -> None:
        raise ConnectionError(f"Failed to connect to Ray cluster at {settings['address']}")

    monkeypatch.setattr(ray, "init", refuse)
    model = parse_model("majority")
    suite = load_suite("pocket")
    jobs = RayExecutor(address="10.0.0.1:6379")(make_plan(model, suite), model, suite, tmp_path, lambda: None)
    with pytest.raises(GluepotError, match=r"10\.0\.0\.1:6379.*ray start --head.*RAY_AUTH_MODE=token"):
        next(jobs)


def workers(folder: Path) -> list[int]:
    """Return the process IDs of a run's Ray workers: the parents of the model's program, whose path is in the run's folder."""
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
    assert scores(tmp_path / "ray") == scores(tmp_path / "local")


def test_reports_the_message_of_ray_when_a_worker_keeps_dying(tmp_path: Path) -> None:
    (tmp_path / "killer.py").write_text("import os\nos.kill(os.getppid(), 4)\n")
    model = parse_model(f"command:{sys.executable} {tmp_path / 'killer.py'}")
    plan = make_plan(model, load_suite("pocket"), tasks=["stance-sv"], limit=2)
    with pytest.raises(GluepotError, match=r"a worker of the Ray cluster was lost\. Ray says: .*worker died"):
        list(RayExecutor(1)(plan, model, load_suite("pocket"), tmp_path / "run", lambda: None))


def test_user_errors_pass_through_ray_unchanged(tmp_path: Path) -> None:
    model = parse_model("vectors:nowhere.bin")
    plan = make_plan(model, load_suite("pocket"), tasks=["stance-sv"], limit=2)
    with pytest.raises(GluepotError) as told:
        list(RayExecutor(1)(plan, model, load_suite("pocket"), tmp_path / "run", lambda: None))
    assert "nowhere.bin" in str(told.value)
    assert "Traceback" not in str(told.value)


def test_precision_is_probed_on_the_machines_of_the_cluster(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver is not probed: the probe would fail there, while the cluster's machines refuse bf16."""
    monkeypatch.setenv("GLUEPOT_NO_BF16", "1")
    monkeypatch.setattr(precision_probe, "PROGRAM", ("false",))
    precision_probe._once.cache_clear()
    cluster = RayExecutor(address="local")  # treated as an existing cluster
    assert cluster.choose_precision("auto") == PrecisionChoice("fp32", "bf16 refused by GLUEPOT_NO_BF16, so fp32")
    with pytest.raises(WrongUse, match=r"^bf16 does not work here \(tried: refused by GLUEPOT_NO_BF16\)"):
        cluster.choose_precision("bf16")
