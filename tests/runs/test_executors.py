"""Local processes: in which order they take jobs, and what happens when one of them dies."""

import os
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from gluepot.errors import GluepotError
from gluepot.models import parse_model
from gluepot.runs import executors
from gluepot.runs.executors import Local, _threads_shared, heaviest_first
from gluepot.runs.plan import Job, make_plan
from gluepot.runs.predicting import JobReport
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")


def job(name: str) -> Job:
    return Job("pocket", name, (name,), "test", 0)


@pytest.fixture
def bytes_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The size that the files of a task's splits have, to be set by a test."""
    sizes: dict[str, int] = {}

    def find(task, split):
        path = tmp_path / task.name
        path.write_bytes(b"x" * sizes[task.name])
        return task.data, [path]

    monkeypatch.setattr(executors, "find_files", find)
    return sizes


def test_the_job_with_the_largest_files_goes_first(bytes_of: dict[str, int]) -> None:
    bytes_of.update({"stance-sv": 10, "paraphrase-sv": 30, "entities-da": 20})
    assert [j.learns for j in heaviest_first([job(name) for name in bytes_of])] == ["paraphrase-sv", "entities-da", "stance-sv"]


def test_a_task_with_options_goes_before_one_with_somewhat_larger_files(bytes_of: dict[str, int]) -> None:
    bytes_of.update({"stance-sv": 30, "idioms-da": 10, "paraphrase-sv": 50})
    assert [j.learns for j in heaviest_first([job(name) for name in bytes_of])] == ["paraphrase-sv", "idioms-da", "stance-sv"]


def run(model: str, folder: Path, *, jobs: int = 1) -> list[JobReport]:
    name = parse_model(model)
    plan = make_plan(name, POCKET, tasks=["stance-sv", "entailment-ru"], limit=3)
    return list(Local(jobs)(plan, name, folder, lambda: None))


def test_no_process_is_left_when_all_jobs_are_done(tmp_path: Path) -> None:
    assert sorted(report.job for report in run("majority", tmp_path, jobs=2)) == ["entailment-ru seed 0", "stance-sv seed 0"]
    deadline = time.monotonic() + 5
    while active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert active_children() == []


def test_a_job_whose_process_dies_again_and_again_is_given_up_by_name(tmp_path: Path) -> None:
    killer = tmp_path / "killer.py"
    killer.write_text(f"import os\nopen({str(tmp_path / 'starts')!r}, 'a').write('x')\nos.kill(os.getppid(), 9)\n")
    with pytest.raises(GluepotError, match=r"died 3 times .* not done: stance-sv seed 0, entailment-ru seed 0"):
        run(f"command:{sys.executable} {killer}", tmp_path / "run")
    assert (tmp_path / "starts").read_text() == "xxx"


def test_an_address_without_ray_is_refused() -> None:
    with pytest.raises(GluepotError, match="--on ray"):
        Local(1, address="127.0.0.1:6379")


def test_threads_are_shared_out_among_processes_but_a_number_set_by_hand_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with _threads_shared(2):
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "4")
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert "MKL_NUM_THREADS" not in os.environ


def test_workers_and_their_programs_end_with_a_main_process_that_is_killed_alone(tmp_path: Path) -> None:
    """Not by its group: as somebody would who kills what `ps` shows first."""
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
