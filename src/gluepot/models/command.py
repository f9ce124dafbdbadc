"""Adapter for external programs: items as JSON Lines on standard input, one prediction per line on standard output.

{"id": "17", "task": "faroe/nli", "kind": "pair-classification", "labels": [...], "inputs": {"text": …, "pair": …}}
{"id": "17", "prediction": "neutral"}
"""

import json
import os
import shlex
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from time import monotonic
from typing import IO, Any, Protocol

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.settings import IN_SANDBOX, option_of
from gluepot.notices import notify
from gluepot.plurals import pluralize
from gluepot.programs.bubblewrap import Sandbox, replace_unset
from gluepot.programs.execution import Program, run_program
from gluepot.programs.limits import MIB, Limits
from gluepot.programs.limits import SANDBOX as FENCED
from gluepot.records import Example, Prediction, Task
from gluepot.strict_json import InvalidLineError, decode_strictly

TIME_LIMIT = 3600


class AnySandbox(Protocol):
    """A sandbox that programs can be run in."""

    @property
    def title(self) -> str:
        """Name of the sandbox as shown in results."""

    def fence(self, program: Program) -> Program:
        """Return the same program, started inside the sandbox."""


class Command:
    """Adapter that starts a program once per task, parses its output strictly and keeps the end of its standard error."""

    def __init__(
        self, name: str, argument: str, seed: int, batch_size: int | None = None, time_limit: int = TIME_LIMIT, **fence: Any
    ) -> None:
        """`fence` holds the settings of the sandbox."""
        self.own_words, self.batch_size = list(map(_at_home, shlex.split(argument))), batch_size
        self.words = [*self.own_words, *(["--batch-size", str(batch_size)] if batch_size else [])]
        self.seed, self.time_limit = seed, time_limit
        self.sandbox = self._make_sandbox(fence)
        self.said: list[str] = []
        self.listener: threading.Thread | None = None

    def _make_sandbox(self, fence: dict[str, Any]) -> AnySandbox | None:
        if fence and not fence.get(IN_SANDBOX.name):
            raise WrongUse(f"{', '.join(map(option_of, fence))}: only with {IN_SANDBOX.option}.")
        return make_sandbox(**fence) if fence else None

    def program(self, batch_size: int | None) -> Program:
        """Return the program to start, wrapped in the sandbox if one is set."""
        words = [*self.own_words, *(["--batch-size", str(batch_size)] if batch_size else [])]
        plain = Program(tuple(words), Limits(seconds=self.time_limit))
        return self.sandbox.fence(plain) if self.sandbox else plain

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Do nothing: the program is used as it is."""

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        return list(self.stream(task, examples))

    def stream(self, task: Task, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Yield predictions in item order as the program prints them; from the sandbox, once the program has ended."""
        if self.sandbox:
            yield from self._answers_from_sandbox(task, examples)
            return
        try:
            process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise GluepotError(f"cannot start {self.words[0]}: {error.strerror}.") from error
        assert process.stdin
        assert process.stdout
        assert process.stderr
        lines: Queue[bytes | None] = Queue(maxsize=10_000)
        workers = [
            threading.Thread(target=_write, args=(process.stdin, [question(task, e, self.seed) for e in examples]), daemon=True),
            threading.Thread(target=_read, args=(process.stdout, lines), daemon=True),
            threading.Thread(target=self._keep, args=(process.stderr,), daemon=True),
        ]
        for worker in workers:
            worker.start()
        self.listener = workers[-1]
        try:
            yield from self._answers(task, examples, lines, monotonic() + self.time_limit)
            if process.wait(timeout=60) != 0:
                raise GluepotError(f"{self.words[0]} ended with code {process.returncode}. {self._last_words()}")
        finally:
            process.kill()
            process.wait()
            for worker in workers:
                worker.join(timeout=5)
            for pipe in (process.stdin, process.stdout, process.stderr):
                _close(pipe)

    def _answers_from_sandbox(self, task: Task, examples: Sequence[Example]) -> Iterator[Prediction]:
        program = self.program(self.batch_size)
        outcome = run_program(program, b"".join(question(task, example, self.seed) for example in examples))
        for said in outcome.said:
            notify(said)
        if failure := outcome.failure(program):
            raise GluepotError(failure)
        lines = outcome.output.splitlines()
        if len(lines) != len(examples):
            last = f"It said: {outcome.said[-1]}" if outcome.said else "It said nothing on standard error."
            raise GluepotError(f"{program.title} answered {len(lines):,} of {pluralize(len(examples), 'item')} of {task.path}. {last}")
        for number, (line, example) in enumerate(zip(lines, examples, strict=True), start=1):
            yield read_answer(line, number, example)

    def _answers(self, task: Task, examples: Sequence[Example], lines: "Queue[bytes | None]", deadline: float) -> Iterator[Prediction]:
        for number, example in enumerate(examples, start=1):
            try:
                line = lines.get(timeout=max(0.01, deadline - monotonic()))
            except Empty:
                raise GluepotError(f"{self.words[0]} took more than {self.time_limit:,} s. {self._last_words()}") from None
            if line is None:
                raise GluepotError(
                    f"{self.words[0]} answered {number - 1:,} of {pluralize(len(examples), 'item')} of {task.path}. {self._last_words()}"
                )
            yield read_answer(line, number, example)

    def _keep(self, stream: IO[bytes]) -> None:
        for line in stream:
            text = line.decode("utf-8", "replace").rstrip()
            self.said = [*self.said[-99:], text]
            notify(text)

    def _last_words(self) -> str:
        if self.listener is not None:
            self.listener.join(timeout=2)  # the last line on standard error may arrive after the last prediction
        return f"It said: {self.said[-1]}" if self.said else "It said nothing on standard error."


def _at_home(word: str) -> str:
    """Expand a leading tilde of a command-line word, as a shell does."""
    return str(Path(word).expanduser()) if word.startswith("~") else word


def make_sandbox(sandbox: bool = True, readable: str = "", **limits: int | None) -> Sandbox:
    """Return the sandbox described by the settings."""
    return Sandbox(make_limits(**limits), visible=tuple(Path(part) for part in readable.split(os.pathsep) if part))


def make_limits(
    memory_limit: int | None = None, process_limit: int | None = None, disk_limit: int | None = None, cpu_limit: int | None = None
) -> Limits:
    """Return the limits described by the settings, with the sandbox's defaults for those unset."""
    own = Limits(
        memory=memory_limit and memory_limit * MIB,
        processes=process_limit,
        disk=disk_limit and disk_limit * MIB,
        cpu_seconds=cpu_limit,
    )
    return replace_unset(own, FENCED)


def question(task: Task, example: Example, seed: int) -> bytes:
    """Serialize an item as the program reads it."""
    record: dict[str, Any] = {"id": example.id, "task": task.path, "kind": task.kind, "seed": seed, "inputs": example.inputs}
    if task.labels:
        record["labels"] = task.labels
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def read_answer(line: bytes, number: int, example: Example) -> Prediction:
    """Parse a line of the program's output, as strictly as an untrusted file."""
    try:
        record = decode_strictly(line)
    except InvalidLineError as odd:
        raise GluepotError(f"line {number} of the program's output: {odd} {odd.hint}".rstrip()) from odd
    if "prediction" not in record or str(record.get("id", example.id)) != example.id:
        raise GluepotError(f'line {number} of the program\'s output: expected {{"id": {example.id!r}, "prediction": …}}.')
    return Prediction(example.id, record["prediction"], record.get("scores"))


def _write(pipe: IO[bytes], questions: Sequence[bytes]) -> None:
    try:
        pipe.writelines(questions)
        pipe.close()
    except OSError:  # the program has ended; missing answers are reported by the caller
        _close(pipe)


def _read(pipe: IO[bytes], lines: "Queue[bytes | None]") -> None:
    for line in pipe:
        lines.put(line)
    lines.put(None)


def _close(pipe: IO[bytes]) -> None:
    with suppress(OSError):
        pipe.close()
