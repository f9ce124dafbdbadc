"""Material of the checks: a task's splits, read once, with the records that could not be read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from gluepot.data.checks.findings import SHOWN, Finding, sentence
from gluepot.data.examples import Shape, read_records
from gluepot.data.folders import available_splits
from gluepot.errors import GluepotError, InvalidOutput
from gluepot.records import Example, Source, Task
from gluepot.registry import Registry
from gluepot.tasks import KINDS, Kind
from gluepot.tasks.formats import Record

BROKEN = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""Exceptions that readers and kinds raise on malformed records."""


@dataclass
class Failure:
    """A record that yields no valid example, with the reason."""

    number: int
    code: str
    message: str


@dataclass
class Split:
    """One split: its raw records and, aligned with them, its examples (without a target where it is invalid)."""

    name: str
    source: Source
    files: Sequence[Path]
    shape: Shape
    records: list[Record] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    error: str | None = None
    """Reason why reading stopped early."""
    numbered: Any = None
    """Its words as numbers, cached by the overlap check for diagnostics that are trained on this split."""

    def __len__(self) -> int:
        return len(self.records)

    @property
    def role(self) -> str:
        """Role of the split, independent of the publisher's naming: train, dev, test or its own name."""
        return {"val": "dev", "validation": "dev", "training": "train"}.get(self.name, self.name)

    def add(self, record: Any) -> None:
        number = len(self.records)
        if not isinstance(record, dict):
            self.failures.append(Failure(number, "malformed", f"a {type(record).__name__} where a record is expected"))
            record = {}
        self.records.append(record)
        self.examples.append(self._example(record, number))

    def _example(self, record: Record, number: int) -> Example:
        try:
            return self.shape.example(record, number)
        except InvalidOutput as error:
            failure = Failure(number, error.code, error.message)
        except BROKEN as error:
            failure = Failure(number, "malformed", f"{type(error).__name__}: {error}")
        if record:
            self.failures.append(failure)
        return Example(self.shape.read_id(record, number), self.shape.read_inputs(record))

    def place(self, number: int) -> str:
        """Return the label of a row in findings."""
        return f"row {number + 1}" if self.shape.id is None else f"row {number + 1} (id {self.examples[number].id})"


@dataclass
class Material:
    """A task with its available splits."""

    task: Task
    splits: dict[str, Split] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    training: Split | None = None
    """Train split of the task that a diagnostic is trained on."""

    @property
    def kind(self) -> Kind:
        return KINDS[self.task.kind]

    def problem(self, code: str, split: str | None, message: str, examples: Iterable[str] = (), count: int | None = None) -> Finding:
        """Return a finding with its first examples; `count` defaults to the number of all of them."""
        shown, rest = list(islice(examples := iter(examples), SHOWN)), examples
        number = count if count is not None else max(1, len(shown) + sum(1 for _ in rest))
        return Finding(code, self.task.path, split, sentence(message, shown), number, shown)

    def note(self, code: str, split: str | None, message: str, examples: Iterable[str] = (), count: int | None = None) -> Finding:
        return replace(self.problem(code, split, message, examples, count), severity="note")


Check = Callable[[Material], Iterator[Finding]]
CHECKS: Registry[Check] = Registry("check")


def read_material(task: Task, training: Split | None = None) -> Material:
    """Read the available splits of a task; `training` is the train split that a diagnostic is trained on."""
    declared = dict.fromkeys(split for source in task.sources for split in source.files)
    here = available_splits(task)
    absent = [name for name in declared if name not in here]
    return Material(task, {name: read_split(task, name) for name in here}, absent, training)


def read_split(task: Task, name: str) -> Split:
    source, files, records = read_records(task, name)
    split = Split(name, source, files, Shape(task, source))
    try:
        for record in records:
            split.add(record)
    except GluepotError as error:
        split.error = str(error)
    except OSError as error:
        split.error = f"{error.filename or files[0]}: {error.strerror or error}."
    except BROKEN as error:
        split.error = f"{files[0].name}, record {len(split) + 1}: {type(error).__name__}: {error}"
    return split
