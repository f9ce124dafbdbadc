"""Local executor: the order of jobs, crashes of workers, and shutdown."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from gluepot.errors import GluepotError
from gluepot.models import parse_model
from gluepot.records import Suite
from gluepot.runs.prediction.execution import crashes, executors
from gluepot.runs.prediction.execution.executors import LocalExecutor, heaviest_first
from gluepot.runs.prediction.execution.workers import threads_shared
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import Job, make_plan
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")


def job(name: str) -> Job:
    return Job("pocket", name, (name,), "test", 0)


@pytest.fixture
def bytes_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """File size in bytes of each task's splits, to be set by the test."""
    sizes: dict[str, int] = {}

    def find(task, split):
        path = tmp_path / task.name
        path.write_bytes(b"x" * sizes[task.name])
        return task.data, [path]

    monkeypatch.setattr(executors, "find_files", find)
    return sizes


def test_the_job_with_the_largest_files_goes_first(bytes_of: dict[str, int]) -> None:
    bytes_of.update({"stance-sv": 10, "paraphrase-sv": 30, "entities-da": 20})
    assert [j.learns for j in heaviest_first([job(name) for name in bytes_of], POCKET)] == ["paraphrase-sv", "entities-da", "stance-sv"]


def test_a_task_with_options_goes_before_one_with_somewhat_larger_files(bytes_of: dict[str, int]) -> None:
    bytes_of.update({"stance-sv": 30, "idioms-da": 10, "paraphrase-sv": 50})
    assert [j.learns for j in heaviest_first([job(name) for name in bytes_of], POCKET)] == ["paraphrase-sv", "idioms-da", "stance-sv"]


def run(model: str, folder: Path, *, jobs: int = 1) -> list[JobReport]:
    name = parse_model(model)
    plan = make_plan(name, POCKET, tasks=["stance-sv", "entailment-ru"], limit=3)
    return list(LocalExecutor(jobs)(plan, name, POCKET, folder, lambda: None))


def test_no_process_is_left_when_all_jobs_are_done(tmp_path: Path) -> None:
    assert sorted(report.job for report in run("majority", tmp_path, jobs=2)) == ["entailment-ru seed 0", "stance-sv seed 0"]
    deadline = time.monotonic() + 5
    while active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert active_children() == []


def test_reports_the_jobs_of_a_process_that_keeps_dying(tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match=r"3 times; not done: stance-sv seed 0, entailment-ru seed 0"):
        run(killer(tmp_path, signal.SIGKILL), tmp_path / "run")
    assert (tmp_path / "starts").read_text() == "xxx"


def test_an_address_without_ray_is_refused() -> None:
    with pytest.raises(GluepotError, match="--on ray"):
        LocalExecutor(1, address="127.0.0.1:6379")


def test_threads_are_divided_among_processes_unless_set_by_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with threads_shared(2):
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "4")
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert "MKL_NUM_THREADS" not in os.environ


def test_workers_and_their_programs_end_when_the_main_process_is_killed(tmp_path: Path) -> None:
    """Kills the main process instead of its group, like a user who kills the first entry of `ps`."""
    slow, told = tmp_path / "slow.py", tmp_path / "told"
    slow.write_text(f"import os, time\nopen({str(told)!r}, 'w').write(f'{{os.getppid()}} {{os.getpid()}}')\ntime.sleep(600)\n")
    words = ["-m", "gluepot", "evaluate", f"command:{sys.executable} {slow}", "pocket/stance-sv", "--out", str(tmp_path / "run")]
    main = subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (told.is_file() and told.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    processes = [Path("/proc") / pid for pid in told.read_text().split()]
    main.kill()
    main.wait()
    while any(process.is_dir() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [process for process in processes if process.is_dir()]


def test_waves_reuse_the_worker_processes(tmp_path: Path) -> None:
    program, parents = tmp_path / "program.py", tmp_path / "parents"
    answer = "print(json.dumps({'id': json.loads(line)['id'], 'prediction': 'neutral'}), flush=True)"
    noted = f"open({str(parents)!r}, 'a').write(f'{{os.getppid()}} ')"
    program.write_text(f"import json, os, sys\n{noted}\nfor line in sys.stdin: {answer}\n")
    name = parse_model(f"command:{sys.executable} {program}")
    plan = make_plan(name, POCKET, tasks=["stance-sv"], limit=1)
    waves = replace(plan, jobs=[replace(plan.jobs[0], seed=number, wave=number) for number in range(2)])
    assert [report.answered for report in LocalExecutor(1)(waves, name, POCKET, tmp_path / "run", lambda: None)] == [1, 1]
    first, second = parents.read_text().split()
    assert first == second


def killer(folder: Path, number: int) -> str:
    """Return a model whose program kills its parent worker by a signal."""
    program = folder / "killer.py"
    program.write_text(f"import os\nopen({str(folder / 'starts')!r}, 'a').write('x')\nos.kill(os.getppid(), {number})\n")
    return f"command:{sys.executable} {program}"


@pytest.mark.parametrize(
    ("name", "jobs", "said"),
    [
        ("SIGILL", 1, r"was killed by SIGILL \(illegal instruction\); not done: .*built for another processor"),
        ("SIGKILL", 2, r"was killed by SIGKILL \(killed\) 3 times; not done: .* Out of memory\? Try --jobs 1"),
        ("SIGSEGV", 1, r"was killed by SIGSEGV \(segmentation fault\) 3 times; not done: .* A library crashed"),
        ("SIGBUS", 1, r"was killed by SIGBUS \(bus error\) 3 times; not done: .*/dev/shm"),
    ],
)
def test_reports_the_signal_that_killed_a_worker(name: str, jobs: int, said: str, tmp_path: Path) -> None:
    with pytest.raises(GluepotError, match=said):
        run(killer(tmp_path, signal.Signals[name]), tmp_path / "run", jobs=jobs)
    tries = len((tmp_path / "starts").read_text())
    assert tries == 1 if name == "SIGILL" else tries >= 3


def test_hint_for_an_illegal_instruction_suggests_fp32_for_reduced_precision() -> None:
    code = -signal.SIGILL
    assert "try --precision fp32" in crashes.hint(code, parse_model("encoder:x", precision="bf16"), 1)
    assert "--precision" not in crashes.hint(code, parse_model("encoder:x", precision="fp32"), 1)
    assert "--precision" not in crashes.hint(code, parse_model("tfidf-svm"), 1)


def test_exit_code_is_that_of_the_crashed_worker_not_of_terminated_ones() -> None:
    def ended(*codes: int | None) -> list[Any]:
        return [SimpleNamespace(exitcode=code) for code in codes]

    assert crashes.exit_code(ended(-15, -4, 143, 0)) == -4
    assert crashes.exit_code(ended(143, 3, None)) == 3
    assert crashes.exit_code(ended(0, 143)) == 143
    assert crashes.exit_code([]) is None
    assert crashes.describe_exit(143) == "was killed by SIGTERM (terminated)"
    assert crashes.describe_exit(-99) == "was killed by signal 99"


def test_errors_before_the_first_job_are_raised_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(jobs: list[Job], suite: Suite) -> list[Job]:
        raise GluepotError("the data went away")

    monkeypatch.setattr(executors, "heaviest_first", missing)
    with pytest.raises(GluepotError, match="the data went away"):
        run("majority", tmp_path)


LEAVING = """import atexit, os, signal, sys
from gluepot.runs.prediction.execution.workers import _prepare_worker, exit_on_sigterm
_prepare_worker()
try:
    with exit_on_sigterm():
        os.kill(os.getpid(), signal.SIGTERM)
except SystemExit as told:
    print("told", told.code, flush=True)
atexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))
"""


def test_an_exiting_worker_that_is_terminated_prints_nothing() -> None:
    ended = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "told 143\n", "")
