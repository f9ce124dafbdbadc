"""Work shared by two processes: the same ordered results as in one, even if the other process dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import msgspec
import pytest

from gluepot.runs.scores import submitted
from gluepot.runs.scores.processes import can_fork, map_in_two_processes
from gluepot.tasks.declarations import load_suite

SAMPLE = Path(__file__).parents[2] / "src" / "gluepot" / "suites" / "pocket" / "sample"
pytestmark = pytest.mark.skipif(not can_fork(), reason="one core, or no fork here")


def test_both_processes_work_and_results_keep_their_order() -> None:
    def work(job: int) -> tuple[int, int]:
        sleep(0.05)
        return job * job, os.getpid()

    done = map_in_two_processes(list(range(9)), work, float)
    assert [square for square, _ in done] == [job * job for job in range(9)]
    assert len({process for _, process in done}) == 2


def test_the_idle_process_takes_the_next_job() -> None:
    here = os.getpid()

    def work(job: int) -> int:
        sleep(0.5 if job == 9 else 0.01)
        return os.getpid()

    done = map_in_two_processes(list(range(10)), work, float)
    assert {process == here for process in done[:9]} == {done[9] != here}, "one had the long job, the other all short ones"


def test_jobs_of_a_killed_process_are_done_by_the_main_process() -> None:
    here = os.getpid()

    def work(job: int) -> int:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return -job

    assert map_in_two_processes([3, 1, 2], work, float) == [-3, -1, -2]


def test_an_error_in_the_other_process_is_raised_in_the_main_process(capfd: pytest.CaptureFixture[str]) -> None:
    def work(job: int) -> int:
        raise ValueError(f"no {job}")

    with pytest.raises(ValueError, match="no "):
        map_in_two_processes([1, 2], work, float)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("invalid", ["refuse", "wrong"])
def test_two_processes_give_the_same_scores_problems_and_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, invalid: str) -> None:
    from shutil import copytree

    sent = copytree(SAMPLE, tmp_path / "sent")
    files = sorted(sent.rglob("*.jsonl"))
    files[0].write_text(files[0].read_text().replace('"', "'", 3))
    files[2].write_text("\n".join(files[2].read_text().splitlines()[1:]) + "\n")
    suite = load_suite("pocket")
    alone = submitted.score_path(suite, sent, invalid=invalid, resamples=50)
    monkeypatch.setattr(submitted, "WORTH", 0)
    assert alone.problems
    assert msgspec.json.encode(submitted.score_path(suite, sent, invalid=invalid, resamples=50, fork=True)) == msgspec.json.encode(alone)


def test_ctrl_c_ends_both_processes_with_one_message(tmp_path: Path) -> None:
    script = f"""
import os, sys, time
from pathlib import Path
from gluepot.cli import main
from gluepot.runs.scores import submitted
def score_pair(paired, resamples):
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    time.sleep(60)
submitted.WORTH, submitted.score_pair = 0, score_pair
sys.exit(main(["score", "pocket", {str(SAMPLE)!r}]))
"""
    words = [sys.executable, "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while len(list(tmp_path.iterdir())) < 2:
            assert process.poll() is None
        other = next(int(path.name) for path in tmp_path.iterdir() if path.name != str(process.pid))
        os.kill(other, signal.SIGINT)
        sleep(1)  # leave time for a message
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (130, "gluepot: stopped.\n")
    with pytest.raises(ProcessLookupError):  # no process of the group is left
        os.killpg(process.pid, 0)
