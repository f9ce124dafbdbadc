"""Examples of a declared task, read from its official files."""

from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
from pathlib import Path
from typing import Any

from gluepot.data.folders import find_files, split_name
from gluepot.errors import GluepotError, InvalidOutput, nearest
from gluepot.records import Example, Source, Task
from gluepot.tasks import KINDS
from gluepot.tasks.formats import READERS, Record

Getter = Callable[[Record], Any]
ABSENT = object()
"""Value that a getter returns for a field missing from a record."""


def getter(path: str) -> Getter:
    """Return a function that follows a dotted path into a record.

    >>> getter("meta.tuple_id")({"meta": {"tuple_id": "1B"}})
    '1B'
    """
    if "." not in path:
        return methodcaller("get", path, ABSENT)  # half the time of a lambda, and called millions of times
    keys = path.split(".")

    def follow(record: Any) -> Any:
        for key in keys:
            if not isinstance(record, dict) or key not in record:
                return ABSENT
            record = record[key]
        return record

    return follow


class Shape:
    """Converter of a task's records to examples, with getters compiled once from `[fields]`."""

    def __init__(self, task: Task, source: Source) -> None:
        other = source is task.alternative and task.alternative_fields
        fields = task.alternative_fields if other else task.fields
        kind = KINDS[task.kind]
        self.task, self.answer = task, kind.answer
        self.inputs = {name: getter(path) for name, path in fields.items() if name in (*kind.inputs, *kind.optional)}
        self.required, self.paths = frozenset(kind.inputs), fields
        plain = all("." not in fields[name] for name in self.inputs)
        self.keys = [(name, fields[name]) for name in self.inputs] if plain else []
        """Inputs that are fields of the record itself, if all are: they need no getter."""
        self.id = getter(fields["id"]) if "id" in fields else None
        self.target = getter(fields["target"])
        self.group = getter(fields["group"]) if "group" in fields else None
        self.slices = [(name, getter(path)) for name, path in task.slices.fields.items()] if task.slices else []

    def read_inputs(self, record: Record) -> dict[str, Any]:
        """Return the item's inputs by name, without absent optional ones."""
        if self.keys:
            return {name: record[key] for name, key in self.keys if key in record}
        return {name: value for name, get in self.inputs.items() if (value := get(record)) is not ABSENT}

    def example(self, record: Record, number: int) -> Example:
        """Convert one record; raise InvalidOutput if an input is missing or the gold answer is invalid."""
        inputs = self.read_inputs(record)
        if not self.required <= inputs.keys():
            name = next(name for name in self.inputs if name in self.required and name not in inputs)
            raise InvalidOutput("missing-field", f"the field for {name!r} is missing: {self._absent(name, record)}")
        target = self.target(record)
        gold = None if target is ABSENT or target is None else self.answer.gold(self.task, target, inputs)
        group = self.group(record) if self.group else ABSENT
        return Example(
            id=self.read_id(record, number),
            inputs=inputs,
            target=gold,
            group=None if group is ABSENT or group is None else str(group),
            tags=tuple(self._tags(record)) if self.slices else (),
        )

    def _absent(self, name: str, record: Record) -> str:
        """Describe which field is missing and what the record has instead."""
        top = self.paths[name].split(".")[0]
        likely = nearest(top, record) if top not in record else None
        known = f"Did you mean {likely!r}?" if likely else f"The record has {', '.join(map(str, record)) or 'nothing'}."
        return f"[fields] takes it from {self.paths[name]!r}. {known}"

    def read_id(self, record: Record, number: int) -> str:
        value = self.id(record) if self.id else ABSENT
        return str(number) if value is ABSENT else str(value)

    def _tags(self, record: Record) -> Iterator[str]:
        slices = self.task.slices
        assert slices is not None
        for coarse, get in self.slices:
            value = get(record)
            fine = [] if value is ABSENT or not value else [tag.strip() for tag in str(value).split(slices.separator)]
            if fine and slices.coarse:
                yield coarse
            yield from dict.fromkeys(f"{coarse}/{tag}" for tag in fine if tag)


def read_records(task: Task, split: str) -> tuple[Source, Sequence[Path], Iterator[Record]]:
    """Return the raw records of a split with their source and files."""
    source, files = find_files(task, split)
    return source, files, READERS[source.reader](files, split_name(task, split))


def load_examples(task: Task, split: str) -> list[Example]:
    """Load all examples of a split; repeated ids get `#2`, `#3`… so that each names one item."""
    source, files, records = read_records(task, split)
    shape = Shape(task, source)
    examples: list[Example] = []
    seen: dict[str, int] = {}
    for number, record in enumerate(records):
        try:
            example = shape.example(record, number)
        except InvalidOutput as error:
            raise GluepotError(f"{task.path}: {files[0].name}, record {number + 1}: {error.message} {error.hint}".rstrip()) from error
        again = seen[example.id] = seen.get(example.id, 0) + 1
        examples.append(example if again == 1 else _renamed(example, f"{example.id}#{again}"))
    return examples


def _renamed(example: Example, name: str) -> Example:
    return Example(name, example.inputs, example.target, example.group, example.tags)
