"""Columns of an exported table: field names with one type each, over all splits of a task."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from gluepot.answers import Answer
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

LARGEST = 2**63 - 1
LABEL = "label"
_MEANINGS = {
    "id": "names the item within its split",
    "group": "items of the same group belong together and are resampled together",
    "text": "the text to classify, or the question about it",
    "pair": "the second text",
    "context": "the passage that the item is about",
    "options": "the candidates",
    "tokens": "the words of the text, one by one",
    "word": "the word whose sense is compared",
    "start": "where the word begins in `text`, in characters",
    "end": "where the word ends in `text`",
    "pair-start": "where the word begins in `pair`, in characters",
    "pair-end": "where the word ends in `pair`",
    "first": "the first word or expression",
    "second": "the second word or expression",
    "first-start": "where `first` begins in `text`, in characters",
    "first-end": "where `first` ends in `text`",
    "second-start": "where `second` begins in `text`, in characters",
    "second-end": "where `second` ends in `text`",
    "a": "a, of: a is to b as c is to what",
    "b": "b, of: a is to b as c is to what",
    "c": "c, of: a is to b as c is to what",
    "judgments": "what the single annotators said",
    "answer-start": "where the answer begins in `context`, in characters",
}


@dataclass(frozen=True)
class Column:
    """One column: `type` is label, string, int64, float64 or bool; `depth` is the nesting of lists around it."""

    name: str
    type: str
    depth: int = 0
    labels: tuple[str, ...] = ()
    meaning: str = ""
    revealing: bool = False
    """Whether it gives the answer away: empty where answers are withheld."""


def find_columns(task: Task, splits: dict[str, list[Example]]) -> list[Column]:
    """Return the columns of a task: id, group, its inputs, the sources of its slices, target."""
    kind = KINDS[task.kind]
    examples = [example for split in splits.values() for example in split]
    names = [name for name in (*kind.inputs, *kind.optional) if name in kind.inputs or any(name in e.inputs for e in examples)]
    columns = [Column("id", "string", meaning=_MEANINGS["id"])]
    if any(example.group is not None for example in examples):
        columns.append(Column("group", "string", meaning=_MEANINGS["group"]))
    for name in names:
        type_, depth = infer_type(example.inputs.get(name) for example in examples)
        columns.append(Column(name, type_, depth, (), _MEANINGS.get(name, "an input"), name in kind.revealing))
    columns += [Column(name, "string", meaning=f"slices of {coarse}") for coarse, name in slice_columns(task).items()]
    return [*columns, _target(task, kind.answer, examples)]


def slice_columns(task: Task) -> dict[str, str]:
    """Map coarse slices to column names."""
    taken = set(KINDS[task.kind].fields)
    return {coarse: f"slice-{coarse}" if coarse in taken else coarse for coarse in (task.slices.fields if task.slices else ())}


def make_rows(task: Task, columns: Sequence[Column], examples: Iterable[Example], *, withheld: bool) -> Iterator[list[Any]]:
    """Yield one row per example, in the columns' order; revealing columns are null if answers are withheld."""
    slices = {name: coarse for coarse, name in slice_columns(task).items()}
    for example in examples:
        values = {"id": example.id, "group": example.group, "target": example.target, **example.inputs}
        values |= {name: _slice(task, example, coarse) for name, coarse in slices.items()}
        yield [None if withheld and column.revealing else to_type(values.get(column.name), column) for column in columns]


def infer_type(values: Iterable[Any]) -> tuple[str, int]:
    """Return the type that fits all values, and their depth in lists.

    >>> infer_type(["a", None]), infer_type([[1], [2.5], []]), infer_type([("a",), "b"])
    (('string', 0), ('float64', 1), ('string', 1))
    """
    found: set[str] = set()
    depth = max((_survey(value, found) for value in values if value is not None), default=0)
    if found == {"int64", "float64"}:
        return "float64", depth
    return found.pop() if len(found) == 1 else "string", depth


def to_type(value: Any, column: Column, depth: int | None = None) -> Any:
    """Convert a value to its column's type: wrapped into lists, sets sorted, non-finite numbers null."""
    depth = column.depth if depth is None else depth
    if value is None:
        return None
    if depth:
        entries = sorted(value) if isinstance(value, set | frozenset) else value if isinstance(value, list | tuple) else [value]
        return [to_type(entry, column, depth - 1) for entry in entries]
    if column.type == "float64":
        return float(value) if isfinite(value) else None
    if column.type in ("string", LABEL) and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value


def _target(task: Task, answer: Answer, examples: list[Example]) -> Column:
    """Return the target column, typed by its values or, if there are none, by the form of answer."""
    targets = [example.target for example in examples if example.target is not None]
    type_, depth = infer_type(targets) if targets else _type_of(answer)
    if "labels" in answer.needs and type_ == "string":
        return Column("target", LABEL, depth, tuple(task.labels), _meaning_of(answer), revealing=True)
    return Column("target", "float64" if answer.by_distance and type_ == "int64" else type_, depth, (), _meaning_of(answer), revealing=True)


def _type_of(answer: Answer) -> tuple[str, int]:
    if answer.by_distance:
        return "float64", 0
    if answer.of_options and not answer.free:
        return "int64", int(answer.per_option)
    return "string", int(answer.per_token)


def _meaning_of(answer: Answer) -> str:
    if answer.of_options and not answer.free:
        return f"which of `options` {'are' if answer.per_option else 'is'} right, counted from 0"
    if answer.per_token:
        return "one tag a token"
    if "labels" in answer.needs:
        return "the right label"
    return "the right number" if answer.by_distance else "the right answer, or all that are accepted"


def _slice(task: Task, example: Example, coarse: str) -> str | None:
    assert task.slices is not None
    fine = [tag.removeprefix(f"{coarse}/") for tag in example.tags if tag.startswith(f"{coarse}/")]
    return task.slices.separator.join(fine) or None


def _survey(value: Any, found: set[str]) -> int:
    """Add the types of a value's leaves to `found` and return their depth."""
    if isinstance(value, list | tuple | set | frozenset):
        return 1 + max((_survey(entry, found) for entry in value if entry is not None), default=0)
    if isinstance(value, bool):
        found.add("bool")
    elif isinstance(value, int):
        found.add("int64" if abs(value) <= LARGEST else "string")
    else:
        found.add("float64" if isinstance(value, float) else "string")
    return 0
