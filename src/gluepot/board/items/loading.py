"""Items and answers in memory, as arrays that a filter can look through: 18,593 analogies take 3 ms."""

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
"""Splits, and as many times four answers, that are kept."""


class RecentValues:
    """The values used last, each made once."""

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


_items, _given = RecentValues(KEPT), RecentValues(4 * KEPT)


class SplitItems:
    """A split with open answers."""

    def __init__(self, task: Task, split: str, key: Hashable = None) -> None:
        self.task, self.split, self.key = task, split, key
        self.examples: list[Example] = load_examples(task, split)
        self.place = {example.id: number for number, example in enumerate(self.examples)}

    @property
    def answer(self) -> Answer:
        return KINDS[self.task.kind].answer

    @cached_property
    def open(self) -> bool:
        """Whether every item has its answer, and the publisher does not keep them back."""
        return self.split not in self.task.data.unlabelled and all(example.target is not None for example in self.examples)

    @cached_property
    def gold(self) -> list[str]:
        """Gold labels, or the numbers of right options, as text."""
        return [str(example.target) for example in self.examples]

    @cached_property
    def words(self) -> NDArray[np.intp]:
        """How many words each item's running texts have."""
        return np.array([sum(len(text.split()) for text in _texts(self.task, example)) for example in self.examples], np.intp)

    @cached_property
    def folded(self) -> list[str]:
        """What a search looks through: everything an item says, its answer included."""
        return ["\n".join(_strings([e.id, e.inputs, plain(e.target)])).casefold() for e in self.examples]

    @cached_property
    def tags(self) -> dict[str, Bools]:
        """The items of each category, in the order of the declaration."""
        found: dict[str, Bools] = {}
        for number, example in enumerate(self.examples):
            for tag in example.tags:
                found.setdefault(tag, np.zeros(len(self.examples), bool))[number] = True
        return {tag: found[tag] for tag in sorted(found)}

    @cached_property
    def labels(self) -> list[tuple[str, int]]:
        """The gold labels that occur, with their counts, in the declared order."""
        counts = Counter(self.gold)
        known = [label for label in self.task.labels if label in counts]
        return [(label, counts[label]) for label in [*known, *sorted(set(counts) - set(known))]]


def load_items(task: Task, split: str) -> SplitItems:
    """The items of a split, from memory while their files stay the same; raises DataMissing where they are not here."""
    files = find_files(task, split)[1]
    stamp = tuple((str(path), path.stat().st_mtime_ns) for path in files)
    key = task.path, split, stamp, msgspec.json.encode(task)
    return _items.get(key, lambda: SplitItems(task, split, key))


def open_items(task: Task, split: str) -> SplitItems | None:
    """The items, where answers are open and files here; training data is never loaded."""
    if split == "train" or split in task.data.unlabelled or not has_split(task, split):
        return None
    try:
        items = load_items(task, split)
    except GluepotError:  # `gluepot data check` tells what is wrong with a file
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
    """A system's answers to the items of a split, in their order."""

    slug: str
    name: str
    outputs: list[Any]
    """None where it gave none."""
    merits: NDArray[np.float32]
    """1 right, 0 wrong, or how near; NaN where there is no answer."""

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
        """Whether it gave one and the same answer throughout."""
        return len(set(self.said)) == 1


class _AnswerLine(msgspec.Struct):
    id: str
    prediction: Any


def answered(version: SuiteVersion, task: str, split: str) -> dict[str, Answers]:
    """The systems that answered a split, by slug, in the order of their names; the first of several seeds."""
    rows = Answers.objects.filter(entry__suite=version, task=task, split=split, current=True).defer(
        "merits", "entry__details", "entry__system__identity"
    )
    found: dict[str, Answers] = {}
    for row in rows.select_related("entry__system").order_by("entry__system__name", "seed"):
        found.setdefault(row.entry.system.slug, row)
    return found


def load_given(row: Answers, items: SplitItems) -> SystemAnswers:
    """One system's answers, paired with the items by id. Their file is called by what stands in it: a restored board gives numbers anew."""
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
