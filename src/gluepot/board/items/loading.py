"""In-memory items and answers as filterable arrays: 18,593 analogies take 3 ms."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from gzip import decompress
from threading import Lock
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from gluepot.answers import Answer
from gluepot.board.models import Answers, SuiteVersion
from gluepot.data.examples import load_examples
from gluepot.data.folders import find_files, has_split
from gluepot.errors import GluepotError
from gluepot.records import Example, Task
from gluepot.runs.storage.store import plain
from gluepot.tasks import KINDS

Bools = NDArray[np.bool_]
T = TypeVar("T")
KEPT = 12
"""Splits held in memory; four times as many sets of answers."""


class LRUCache:
    """Thread-safe LRU cache that computes each value once."""

    def __init__(self, room: int) -> None:
        self.room, self.values, self.lock = room, OrderedDict[Hashable, Any](), Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self.lock:
            if key not in self.values:
                self.values[key] = make()
                while len(self.values) > self.room:
                    self.values.popitem(last=False)
            self.values.move_to_end(key)
            found: T = self.values[key]
            return found


_items, _given = LRUCache(KEPT), LRUCache(4 * KEPT)


class SplitItems:
    """Items of a split with arrays derived for filtering."""

    def __init__(self, task: Task, split: str, key: Hashable = None) -> None:
        self.task, self.split, self.key = task, split, key
        self.examples: list[Example] = load_examples(task, split)
        self.place = {example.id: number for number, example in enumerate(self.examples)}

    @property
    def answer(self) -> Answer:
        return KINDS[self.task.kind].answer

    @cached_property
    def open(self) -> bool:
        """Whether every item has a gold answer and the publisher does not withhold them."""
        return self.split not in self.task.data.unlabelled and all(example.target is not None for example in self.examples)

    @cached_property
    def gold(self) -> list[str]:
        """Gold labels, or indices of the correct options, as text."""
        return [str(example.target) for example in self.examples]

    @cached_property
    def words(self) -> NDArray[np.intp]:
        """Number of words in the running texts of each item."""
        return np.array([sum(len(text.split()) for text in _texts(self.task, example)) for example in self.examples], np.intp)

    @cached_property
    def folded(self) -> list[str]:
        """Case-folded search text of each item: id, inputs and gold answer."""
        return ["\n".join(_strings([e.id, e.inputs, plain(e.target)])).casefold() for e in self.examples]

    @cached_property
    def tags(self) -> dict[str, Bools]:
        """Boolean mask of the items per category, sorted by name."""
        found: dict[str, Bools] = {}
        for number, example in enumerate(self.examples):
            for tag in example.tags:
                found.setdefault(tag, np.zeros(len(self.examples), bool))[number] = True
        return {tag: found[tag] for tag in sorted(found)}

    @cached_property
    def labels(self) -> list[tuple[str, int]]:
        """Gold labels that occur, with their counts, in declared order."""
        counts = Counter(self.gold)
        known = [label for label in self.task.labels if label in counts]
        return [(label, counts[label]) for label in [*known, *sorted(set(counts) - set(known))]]


def load_items(task: Task, split: str) -> SplitItems:
    """Return the items of a split, cached while task and files are unchanged; raises DataMissing if the files are absent."""
    files = find_files(task, split)[1]
    stamp = tuple((str(path), path.stat().st_mtime_ns) for path in files)
    key = task.path, split, stamp, msgspec.json.encode(task)
    return _items.get(key, lambda: SplitItems(task, split, key))


def open_items(task: Task, split: str) -> SplitItems | None:
    """Return the items if gold answers are public and the files present, else None; training data is never loaded."""
    if split == "train" or split in task.data.unlabelled or not has_split(task, split):
        return None
    try:
        items = load_items(task, split)
    except GluepotError:  # `gluepot data check` reports what is wrong with a file
        return None
    return items if items.open else None


def _texts(task: Task, example: Example) -> Iterator[str]:
    for name in KINDS[task.kind].texts:
        yield from _strings(example.inputs.get(name))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)


@dataclass(frozen=True)
class SystemAnswers:
    """A system's answers to the items of a split, in item order."""

    slug: str
    name: str
    outputs: list[Any]
    """None for unanswered items."""
    merits: NDArray[np.float32]
    """1 right, 0 wrong, or a degree of closeness; NaN for unanswered items."""

    @property
    def right(self) -> Bools:
        return np.asarray(self.merits >= 1, bool)

    @property
    def wrong(self) -> Bools:
        return np.asarray(self.merits < 1, bool)

    @cached_property
    def said(self) -> list[str]:
        return ["" if output is None else str(output) for output in self.outputs]

    @property
    def constant(self) -> bool:
        """Whether all its answers are identical."""
        return len(set(self.said)) == 1


class _AnswerLine(msgspec.Struct):
    id: str
    prediction: Any


def answered(version: SuiteVersion, task: str, split: str) -> dict[str, Answers]:
    """Return the answers to a split by system slug, ordered by system name; the lowest seed of each."""
    rows = Answers.objects.filter(entry__suite=version, task=task, split=split, current=True).defer(
        "merits", "entry__details", "entry__system__identity"
    )
    found: dict[str, Answers] = {}
    for row in rows.select_related("entry__system").order_by("entry__system__name", "seed"):
        found.setdefault(row.entry.system.slug, row)
    return found


def load_given(row: Answers, items: SplitItems) -> SystemAnswers:
    """Return a system's answers, matched to the items by id. Files are named after their content: a restored board renumbers its rows."""
    return _given.get((row.pk, row.file.name, items.key), lambda: _read_given(row, items))


def _read_given(row: Answers, items: SplitItems) -> SystemAnswers:
    with row.file.open("rb") as stream:
        lines = msgspec.json.Decoder(_AnswerLine).decode_lines(decompress(stream.read()))
    merits = np.frombuffer(row.merits, np.float32)
    outputs: list[Any] = [None] * len(items.examples)
    good = np.full(len(items.examples), np.nan, np.float32)
    for line, merit in zip(lines, merits, strict=False):
        place = items.place.get(line.id)
        if place is not None:
            outputs[place], good[place] = line.prediction, merit
    return SystemAnswers(row.entry.system.slug, row.entry.system.name, outputs, good)
