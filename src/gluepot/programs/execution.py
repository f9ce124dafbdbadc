"""One run of a program under a supervisor: its input is fed, its output read with timestamps, its end recorded."""

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from gluepot.programs.limits import Limits, describe_breach

BLOCK = 1 << 20
SAID = 100
"""Number of lines of standard error that are stored."""
LONGEST_WORD = 2000
OFTEN, SELDOM = (0.002, 0.4), (0.1, 0.02)
"""Sampling of memory: where memory is measured, and where time is."""


@dataclass(frozen=True)
class Program:
    """A program to be started, and its limits."""

    words: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    environment: Mapping[str, str] | None = None
    fence: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the sandbox that the supervisor needs."""
    pace: tuple[float, float] = OFTEN
    """Minimum seconds between readings of its memory, and the share of the time that they may take."""
    name: str = ""

    @property
    def title(self) -> str:
        return self.name or self.words[0]


@dataclass
class ProgramSample:
    """State of the process tree at one moment."""

    time: float
    ram: int
    cpu: float
    gpu_ram: int | None = None


@dataclass
class Outcome:
    """Outcome of one run; times are monotonic seconds."""

    started: float = 0.0
    ended: float = 0.0
    code: int | None = None
    breach: str | None = None
    cpu_seconds: float = 0.0
    peak: int = 0
    left_running: int = 0
    network_attempts: int = 0
    samples: list[ProgramSample] = field(default_factory=list)
    arrivals: list[tuple[float, int]] = field(default_factory=list)
    """Times at which output arrived, with the number of lines until then."""
    output: bytes = b""
    said: list[str] = field(default_factory=list)

    @property
    def lines(self) -> int:
        return self.arrivals[-1][1] if self.arrivals else 0

    def failure(self, program: Program) -> str:
        """Return a description of the failure, or an empty string on success."""
        last = f" It said: {self.said[-1]}" if self.said else ""
        if self.breach:
            return f"{program.title} {describe_breach(self.breach, program.limits)} and was ended."
        if self.code is None:
            return f"{program.title} was ended.{last}"
        return f"{program.title} ended with code {self.code}.{last}" if self.code else ""


class Execution:
    """A running program, as a context manager that leaves nothing running."""

    def __init__(self, program: Program) -> None:
        self.program, self.outcome = program, Outcome()
        self.changed = threading.Condition()
        self.parts: list[bytes] = []
        self.size = 0
        self.said: deque[str] = deque(maxlen=SAID)
        self.finished = False
        status, control = os.pipe(), os.pipe()
        self.control = control[1]
        limits = msgspec.to_builtins(program.limits)
        config = {"words": program.words, "limits": limits, "fence": program.fence, "pace": program.pace}
        text = msgspec.json.encode({**config, "status": status[1], "control": control[0]}).decode()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "gluepot.programs.supervisor", text],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(status[1], control[0]),
                cwd=program.folder,
                env=None if program.environment is None else dict(program.environment),
                start_new_session=True,
            )
        finally:
            os.close(status[1])
            os.close(control[0])
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.input = self.process.stdin.fileno()
        self.threads = [
            threading.Thread(target=self._read_output, args=(self.process.stdout.fileno(),), daemon=True),
            threading.Thread(target=self._read_words, args=(self.process.stderr.fileno(),), daemon=True),
            threading.Thread(target=self._read_status, args=(status[0],), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def __enter__(self) -> "Execution":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self.wait()

    def feed(self, data: bytes, first: bytes = b"") -> threading.Event:
        """Write from a thread of its own, then close the input: all of it is available as soon as the program can read.

        After writing `first`, the thread waits for the returned event.
        """
        go = threading.Event()
        if not first:
            go.set()
        thread = threading.Thread(target=self._feed, args=(first, go, data), daemon=True)
        self.threads.append(thread)
        thread.start()
        return go

    def feed_after_answers(self, lines: Sequence[bytes], count: int, seconds: float) -> tuple[float, int] | None:
        """Send the first `count` lines, and the others once these are answered; return the time and the number of answers then.

        Return None if they were not answered in time, or at all; the others are sent then, too.
        """
        go = self.feed(b"".join(lines[count:]), b"".join(lines[:count]))
        came = self.wait_for_lines(count, seconds)
        answered = self.outcome.lines
        go.set()
        return None if came is None else (came, answered)

    def send(self, data: bytes) -> None:
        """Write now; errors are ignored if the program has closed its input."""
        with suppress(OSError):
            view = memoryview(data)
            while view:
                view = view[os.write(self.input, view) :]

    def _feed(self, first: bytes, go: threading.Event, data: bytes) -> None:
        self.send(first)
        go.wait()
        self.send(data)
        self.close_input()

    def close_input(self) -> None:
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.close()

    def wait_for_lines(self, count: int, seconds: float) -> float | None:
        """Return when `count` lines had arrived; None if the program ended, or did not write them in time."""
        deadline = monotonic() + seconds
        with self.changed:
            while self.outcome.lines < count and not self.finished:
                if not self.changed.wait(max(0.0, deadline - monotonic())):
                    break
            return self.outcome.arrivals[-1][0] if self.outcome.lines >= count else None

    def end(self, why: str = "") -> None:
        """End the program, with the name of the limit that it exceeded, if any."""
        with suppress(OSError):
            os.write(self.control, f"{why}\n".encode()) if why else os.close(self._take_control())

    def _take_control(self) -> int:
        control, self.control = self.control, -1
        return control

    def wait(self) -> Outcome:
        """Wait until everything has ended, and return the outcome."""
        self.process.wait()
        for thread in self.threads:
            thread.join(timeout=10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        if self.control >= 0:
            os.close(self._take_control())
        self.outcome.output, self.outcome.said = b"".join(self.parts), list(self.said)
        return self.outcome

    def _read_output(self, pipe: int) -> None:
        most, lines = self.program.limits.output, 0
        while data := _read(pipe):
            now = monotonic()
            self.size += len(data)
            lines += data.count(b"\n")
            if most is not None and self.size > most:
                self.end("output")
                continue
            self.parts.append(data)
            with self.changed:
                self.outcome.arrivals.append((now, lines))
                self.changed.notify_all()
        with self.changed:
            self.finished = True
            self.changed.notify_all()

    def _read_words(self, pipe: int) -> None:
        most, size, rest = self.program.limits.output, 0, b""
        while data := _read(pipe):
            size += len(data)
            if most is not None and size > most:
                self.end("output")
                continue
            *whole, rest = (rest[-LONGEST_WORD:] + data).split(b"\n")
            self.said.extend(line[:LONGEST_WORD].decode("utf-8", "replace").rstrip() for line in whole if line.strip())
        if rest.strip():
            self.said.append(rest[:LONGEST_WORD].decode("utf-8", "replace").rstrip())

    def _read_status(self, pipe: int) -> None:
        with os.fdopen(pipe, "rb") as lines:
            for line in lines:
                self._take(msgspec.json.decode(line))

    def _take(self, fact: dict[str, Any]) -> None:
        outcome, event = self.outcome, fact.pop("event")
        if event == "sample":
            outcome.samples.append(ProgramSample(**fact))
        elif event == "started":
            outcome.started = fact["time"]
        else:
            outcome.ended = fact.pop("time")
            for name, value in fact.items():
                setattr(outcome, name, value)


def _read(pipe: int) -> bytes:
    with suppress(OSError):
        return os.read(pipe, BLOCK)
    return b""


def run_program(program: Program, data: bytes = b"") -> Outcome:
    """Run a program on some input, and wait for its end."""
    with Execution(program) as execution:
        execution.feed(data)
        return execution.wait()
