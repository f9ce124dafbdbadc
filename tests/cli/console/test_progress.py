"""Live progress display on a pseudo-terminal of 80 columns."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from gluepot.cli.console.progress import Progress, TerminalObserver, describe
from gluepot.models import parse_model
from gluepot.runs.pipeline import RunRequest
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import Job, Plan
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite

WIDTH = 80
SLOW = """
import json, sys, time
for line in sys.stdin:
    item = json.loads(line)
    time.sleep(0.1)
    print(json.dumps({"id": item["id"], "prediction": item["labels"][0]}), flush=True)
"""
MOVES = re.compile(r"\x1b\[([\d;?]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


class Screen:
    """Terminal emulator with the features of the live display: lines, cursor up, erasing a line."""

    def __init__(self) -> None:
        self.lines, self.row, self.column = [""], 0, 0

    def write(self, text: str) -> None:
        for count, move, back, new, plain in MOVES.findall(text):
            if plain:
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[: self.column] + plain + line[self.column + len(plain) :]
                self.column += len(plain)
            elif new:
                self.row, self.column = self.row + 1, 0
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif back:
                self.column = 0
            elif move == "A":
                self.row -= int(count or 1)
            elif move == "K":
                self.lines[self.row] = ""

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)


class Terminal:
    """A run in its own session and terminal; `seen` has the successive states of the screen."""

    def __init__(self, *words: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gluepot", "evaluate", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(slave)
        self.screen, self.seen = Screen(), [""]

    def watch(self, until: Callable[[], bool] = lambda: False) -> None:
        """Read output until the run ends or `until` returns true."""
        deadline = time.monotonic() + 60
        while not until() and time.monotonic() < deadline:
            try:
                text = os.read(self.master, 65_536).decode(errors="replace")
            except OSError:  # the other end is closed
                break
            self.screen.write(text)
            self.seen.append(str(self.screen))

    def close(self) -> int:
        """Return the run's exit code; raise if the run does not end by itself within ten seconds."""
        try:
            return self.process.wait(timeout=10)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            os.close(self.master)


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Arguments of a run with two jobs of two seconds each."""
    (tmp_path / "slow.py").write_text(SLOW)
    model = f"command:{sys.executable} {tmp_path / 'slow.py'}"
    return [model, "pocket/stance-sv", "pocket/entailment-ru", "--limit", "20", "--resamples", "20", "--out", str(tmp_path / "run")]


def answers(folder: Path) -> dict[str, int]:
    return {path.parent.name: path.read_text().count("\n") for path in folder.glob("run/predictions/seed-0/*/test.jsonl")}


def test_current_job_and_total_fit_the_screen_and_are_cleared_at_the_end(words: list[str]) -> None:
    terminal = Terminal(*words)
    terminal.watch()
    assert terminal.close() == 0
    shown = "\n".join(terminal.seen)
    assert re.search(r"^entailment-ru .*━.* \d+/20 +[\d.]+ items/s, 0:\d\d left$", shown, re.MULTILINE)
    assert re.search(r"^1 of 2 jobs .*━.* \d+/40 +[\d.]+ items/s, 0:\d\d left$", shown, re.MULTILINE)
    assert max(len(line) for line in shown.splitlines() if "━" in line) <= WIDTH
    assert "items/s" not in str(terminal.screen)
    assert "command:" in str(terminal.screen)


def test_ctrl_c_on_a_terminal_ends_all_processes_and_the_run_can_be_resumed(words: list[str], tmp_path: Path) -> None:
    terminal = Terminal(*words)
    terminal.watch(until=lambda: bool(answers(tmp_path)))
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.watch()
    assert terminal.close() == 130
    said = str(terminal.screen)
    assert "Stopped.\nFinished work is kept in" in said
    assert "resume with:\n  gluepot evaluate" in said.replace(f"{tmp_path}/\n", f"{tmp_path}/")
    assert "Traceback" not in said
    assert "items/s" not in said
    kept = answers(tmp_path)
    assert list(kept) == ["entailment-ru"]
    assert kept["entailment-ru"] < 20
    assert subprocess.run(["pgrep", "-f", str(tmp_path / "slow.py")], capture_output=True).returncode == 1
    again = subprocess.run([sys.executable, "-m", "gluepot", "evaluate", *words], capture_output=True, text=True)
    assert again.returncode == 0
    assert f"{20 - kept['entailment-ru']} items in" in again.stderr
    assert answers(tmp_path) == {"entailment-ru": 20, "stance-sv": 20}


def test_the_trials_of_a_search_are_shown_wave_by_wave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    final = Job("pocket", "stance-sv", ("stance-sv",), "test", 0, trials=2, wave=2)
    jobs = [final, replace(final, trial=1, trials=0, wave=1), replace(final, trial=0, trials=0, wave=0)]
    plan = Plan("model", "pocket", "test", [0], jobs, [])
    with Progress(plan, RunFolder(tmp_path), load_suite("pocket"), at_once=1) as progress:
        shown = [names(progress)]
        for job in reversed(jobs):
            progress.job_ended(JobReport(job.name, 1.0, 40))
            shown.append(names(progress))
    assert shown == [
        ["stance-sv trial 0", "0 of 3 jobs"],
        ["stance-sv trial 1", "1 of 3 jobs"],
        ["stance-sv", "2 of 3 jobs"],
        ["3 of 3 jobs"],
    ]


@pytest.mark.parametrize(
    ("model", "does"), [("tfidf-svm", "learning"), ("encoder:bert", "learning"), ("lm:llama", "loading"), ("random", "starting")]
)
def test_shows_the_current_phase_before_the_first_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, does: str) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    job = Job("pocket", "stance-sv", ("stance-sv",), "test", 0)
    plan, suite = Plan(model, "pocket", "test", [0], [job], []), load_suite("pocket")
    with TerminalObserver(1).watch(RunRequest(suite, parse_model(model), plan, RunFolder(tmp_path))) as progress:
        assert [str(cell) for cell in progress._lines().columns[3].cells] == [f"{does}, 0:00"]
        progress.done[job.name] = 10
        assert "items/s" in str(next(progress._lines().columns[3].cells))


def test_terminal_shows_learning_while_a_model_is_trained(tmp_path: Path) -> None:
    terminal = Terminal("tfidf-svm", "pocket/stance-sv", "pocket/entailment-ru", "--resamples", "20", "--out", str(tmp_path / "run"))
    terminal.watch()
    assert terminal.close() == 0
    assert re.search(r"^entailment-ru .*━.* 0/40 +learning, 0:\d\d$", "\n".join(terminal.seen), re.MULTILINE)


def test_a_long_name_is_shortened_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    job = Job("pocket", "multi-choice-ru", ("multi-choice-ru",), "test", 0, trial=12)
    with Progress(Plan("tfidf-svm", "pocket", "test", [0, 1], [job], []), RunFolder(tmp_path), load_suite("pocket"), at_once=1) as progress:
        assert names(progress) == ["multi-ch…rial 12"]


def names(progress: Progress) -> list[str]:
    """Return the first column of the displayed lines."""
    return [str(cell) for cell in progress._lines().columns[0].cells]


def test_a_reason_shared_by_several_tasks_is_shown_once() -> None:
    assert describe(JobReport("swenli seed 0", 0.1, 0, {"swenli": "no data.", "swediagnostics": "no data."})) == "no data."


def test_a_job_is_described_by_its_items_speed_and_guesses() -> None:
    assert describe(JobReport("a", 2.0, 3_000, {}, 4)) == "3,000 items in 2.0 s, 1,500 items/s, 4 guessed for unknown words"
    assert describe(JobReport("a", 0.0, 0)) == "nothing left to do"
