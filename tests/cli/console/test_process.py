"""Commands as processes: Ctrl-C at any moment, broken pipes, closed streams and a full disk."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from gluepot.tasks.search_path import BUNDLED

GLUEPOT = [sys.executable, "-m", "gluepot"]
SAMPLE = str(BUNDLED / "pocket" / "sample")
TALKING = [["suites"], ["suites", "--json"], ["show", "superlim"], ["models"], ["--help"], ["data", "check", "pocket", "--notes"]]
EARLY = 77
"""Exit code if the interrupt came before the command was called, because the test was too fast."""
INTERRUPTED = f"""
import os, signal, sys, threading
from time import sleep
signal.signal(signal.SIGINT, signal.default_int_handler)
def press(after=float(sys.argv.pop(1))):
    sleep(after)
    os.kill(os.getpid(), signal.SIGINT)
from gluepot.cli import main
try:
    threading.Thread(target=press, daemon=True).start()
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit({EARLY})
"""
"""Interrupts at the same moment on any machine, since the start-up time of Python itself is excluded."""


def noise(text: str) -> bool:
    return "Traceback" in text or "Exception ignored" in text or "KeyboardInterrupt" in text


def with_streams(redirections: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command with streams redirected by a shell."""
    return subprocess.run(["sh", "-c", f'exec "$@" {redirections}', "sh", *GLUEPOT, *words], capture_output=True, text=True)


@pytest.mark.parametrize("words", TALKING, ids=" ".join)
@pytest.mark.parametrize("both", [False, True], ids=["output", "output and errors"])
def test_a_broken_pipe_is_silent(words: list[str], both: bool) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*GLUEPOT, *words], stdout=write, stderr=write if both else subprocess.PIPE, text=True)
    os.close(write)
    assert done.returncode == 0
    assert not done.stderr


def test_work_continues_after_a_broken_pipe(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [*GLUEPOT, "evaluate", "majority", "pocket/stance-sv", "--out", str(tmp_path / "run"), "--resamples", "20"]
    assert subprocess.run(command, stdout=write, stderr=write).returncode == 0
    os.close(write)
    assert (tmp_path / "run" / "scores.json").is_file()


@pytest.mark.parametrize("words", [["suites"], ["suites", "--json"], ["score", "pocket", SAMPLE, "--resamples", "20"]], ids=" ".join)
@pytest.mark.parametrize("redirections", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_cause_a_failure(words: list[str], redirections: str) -> None:
    done = with_streams(redirections, *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_messages_for_a_closed_stream_are_dropped() -> None:
    done = with_streams("2>&-", "show", "superlin", "--json")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", TALKING[:3], ids=" ".join)
def test_reports_output_to_a_full_device(words: list[str]) -> None:
    done = with_streams("> /dev/full", *words)
    assert (done.returncode, done.stderr) == (1, "gluepot: standard output: No space left on device.\n")
    assert with_streams("> /dev/full 2> /dev/full", *words).returncode == 1


def test_output_adapts_to_an_ascii_terminal() -> None:
    done = subprocess.run([*GLUEPOT, "--help"], capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "usage: gluepot COMMAND" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["suites"],
        ["score", "pocket", SAMPLE],
        ["evaluate", "tfidf-svm", "pocket/stance-sv", "--out", "run"],
        ["board", "export", "out", "--dir", "none"],
        ["verify", "pocket"],
    ],
    ids=lambda words: words[0],
)
def test_ctrl_c_during_start_up_prints_no_traceback(words: list[str], tmp_path: Path) -> None:
    for after in (0.0, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3):
        command = [sys.executable, "-c", INTERRUPTED, str(after), *words]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "GLUEPOT_DATABASE_URL": "no://where"}
        )
        assert not noise(done.stderr), after
        if done.returncode == 130:
            assert "topped" in done.stderr
        else:
            assert done.returncode in (0, 1, 2, 3, EARLY)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to see workers start")
@pytest.mark.parametrize("after", [0.1, 0.4, 1.0])
def test_ctrl_c_while_workers_start_prints_one_message(after: float, tmp_path: Path) -> None:
    """A terminal signals the whole group, including workers that do not ignore SIGINT yet."""
    command = [*GLUEPOT, "evaluate", "tfidf-svm", "pocket", "--jobs", "2", "--out", str(tmp_path / "run")]
    group = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True)
    while group.poll() is None and not has_worker(group.pid):
        sleep(0.005)
    sleep(after)
    os.killpg(group.pid, signal.SIGINT)
    said = group.communicate()[1]
    assert not noise(said)
    assert (group.returncode, said.count("topped")) == (130, 1)


def has_worker(parent: int) -> bool:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    commands = [path.read_bytes() for child in children if (path := Path(f"/proc/{child}/cmdline")).exists()]
    return any(b"spawn_main" in command for command in commands)


def test_a_process_started_with_sigint_ignored_keeps_ignoring_it() -> None:
    code = INTERRUPTED.replace("signal.default_int_handler", "signal.SIG_IGN")
    done = subprocess.run([sys.executable, "-c", code, "0.05", "suites", "--json"], capture_output=True, text=True)
    assert done.returncode == 0
    assert json.loads(done.stdout)


@pytest.mark.parametrize(("sent", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupt_inside_exec_has_its_exit_code(sent: str, code: int) -> None:
    """As in the creation of a dataclass: a plain KeyboardInterrupt would end the process by SIGINT, although it is caught."""
    program = f"""
import os, signal, sys
from gluepot.cli.console.process import Interrupts
from gluepot.cli.console.signals import raise_on_sigterm, exit_code
Interrupts().raise_on_sigint()
try:
    with raise_on_sigterm():
        exec("os.kill(os.getpid(), signal.{sent}); [number for number in range(1000)]")
except KeyboardInterrupt as told:
    sys.exit(exit_code(told))
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == code


def test_ctrl_c_in_a_finalizer_is_not_lost() -> None:
    code = """
import os, signal, time
from gluepot.cli.console.process import Interrupts
Interrupts().raise_on_sigint()
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
try:
    Dying()
    time.sleep(5)
    print("deaf")
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("heard\n", "")
