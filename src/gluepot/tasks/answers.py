"""The forms an answer can take: how gold and predictions are read into them, and what a wrong one looks like."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median_low
from sys import intern
from typing import Any, ClassVar

from gluepot.errors import InvalidOutput, nearest
from gluepot.metrics import INVALID
from gluepot.plurals import pluralize
from gluepot.records import Example, Task

LONGEST_TEXT = 20_000
LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Answer(ABC):
    """One form of answer. `read` takes what a stranger sent and returns the answer or raises InvalidOutput."""

    form: str
    for_none: ClassVar[str] = "wrong"
    """What an answer that was left out counts as, in words."""

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        """The gold answer from the official file; by default it is read like a prediction."""
        return self.read(task, Example("", inputs), value)

    @abstractmethod
    def read(self, task: Task, example: Example, value: Any) -> Any:
        """A prediction from whatever was sent."""

    @abstractmethod
    def wrong(self, task: Task, example: Example) -> Any:
        """An answer that is certainly wrong, for `--invalid wrong`."""

    def fill(self, task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> list[Any]:
        """The answers with those that were left out (None) counted as wrong."""
        return [self.wrong(task, e) if output is None else output for e, output in zip(examples, outputs, strict=True)]


class Label(Answer):
    """One of the task's labels."""

    def read(self, task: Task, example: Example, value: Any) -> str:
        if isinstance(value, str) and value in task.labels:
            return intern(value)  # one object a label: comparing and counting them is then quicker
        text = _as_label(value)
        if text is None:
            raise _wrong_type(value, f"one of {', '.join(task.labels)}")
        if task.boolean:
            text = text.lower()
        if text not in task.labels:
            guess = nearest(text, task.labels)
            hint = f"Did you mean {guess!r}?" if guess else f"Labels: {', '.join(task.labels)}."
            raise InvalidOutput("unknown-label", f"{shown(text)} is not a label of this task.", hint)
        return text

    def wrong(self, task: Task, example: Example) -> str:
        return INVALID


class Number(Answer):
    """A finite number on the task's scale, or anywhere where the task allows that."""

    for_none = "the median of the given answers"

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> float:
        """Gold as it was published: `data check` tells what of it lies off the scale."""
        return _finite(value)

    def read(self, task: Task, example: Example, value: Any) -> float:
        number = _finite(value)
        nearest = self.on_scale(task, number)
        if nearest != number and task.scale is not None:
            low, high = task.scale
            hint = f"Write numbers from {low:g} to {high:g}; `--invalid wrong` clips and counts the others."
            raise InvalidOutput("off-scale", f"{shown(value)} is off the scale from {low:g} to {high:g}.", hint, nearest)
        return number

    def on_scale(self, task: Task, number: float) -> float:
        """The number that the task takes and that is nearest to this one.

        >>> from gluepot.tasks.declarations import find
        >>> NUMBER.on_scale(find("pocket/paraphrase-sv")[1], 5.2), NUMBER.on_scale(find("superlim/sweparaphrase")[1], 5.2)
        (5.0, 5.2)
        """
        if task.scale is None or task.off_scale:
            return number
        low, high = task.scale
        return min(max(number, low), high)

    def fill(self, task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> list[Any]:
        """Those that were left out as the median of those that were given: a guess that says nothing, in the middle of all ranks."""
        middle = median_low(output for output in outputs if output is not None)
        return [middle if output is None else output for output in outputs]

    def wrong(self, task: Task, example: Example) -> float:
        low, high = task.scale or (0.0, 1.0)
        return high if abs(high - example.target) >= abs(low - example.target) else low


class Index(Answer):
    """The 0-based number of one of the item's options."""

    def read(self, task: Task, example: Example, value: Any) -> int:
        index = _as_index(value, task.labels)
        if index is None:
            raise _wrong_type(value, "the number of an option, counted from 0")
        count = len(example.inputs["options"])
        if not 0 <= index < count:
            raise InvalidOutput("unknown-label", f"option {index} is not there.", _options(count))
        return index

    def wrong(self, task: Task, example: Example) -> int:
        return -1


class IndexSet(Answer):
    """The 0-based numbers of all right options, possibly none."""

    def read(self, task: Task, example: Example, value: Any) -> frozenset[int]:
        if not isinstance(value, list | tuple | set | frozenset):
            raise _wrong_type(value, "a list of option numbers, counted from 0")
        count = len(example.inputs["options"])
        for index in value:
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
                raise InvalidOutput("unknown-label", f"{shown(index)} is not an option.", _options(count))
        return frozenset(value)

    def wrong(self, task: Task, example: Example) -> frozenset[int]:
        right: frozenset[int] = example.target
        return frozenset(range(len(example.inputs["options"]))) - right


class Tags(Answer):
    """One tag a token."""

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        """Published tags in either case (ScandEval's own are lower-case)."""
        known = set(task.labels)
        return super().gold(task, [tag if tag in known else str(tag).upper() for tag in value], inputs)

    def read(self, task: Task, example: Example, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(issubclass(kind, str) for kind in set(map(type, value))):
            raise _wrong_type(value, "a list of tags")
        tokens = len(example.inputs["tokens"])
        if len(value) != tokens:
            raise InvalidOutput(
                "count-mismatch", f"{pluralize(len(value), 'tag')} for {pluralize(tokens, 'token')}.", "Give one tag a token, in order."
            )
        if strange := set(value).difference(task.labels):
            tag = next(tag for tag in value if tag in strange)
            guess = nearest(tag, task.labels)
            raise InvalidOutput("unknown-label", f"{shown(tag)} is not a tag of this task.", f"Did you mean {guess!r}?" if guess else "")
        return tuple(value)

    def wrong(self, task: Task, example: Example) -> tuple[str, ...]:
        """No span found: what an unreadable tagging amounts to, and nothing to gain where there is one."""
        return ("O",) * len(example.inputs["tokens"])


class Text(Answer):
    """A string; gold may be several accepted ones."""

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        if isinstance(value, list | tuple):
            return tuple(dict.fromkeys(str(v) for v in value))
        return Text.read(self, task, Example("", inputs), value)

    def read(self, task: Task, example: Example, value: Any) -> str:
        if not isinstance(value, str):
            raise _wrong_type(value, "a string")
        if len(value) > LONGEST_TEXT:
            raise InvalidOutput("too-long", f"an answer of {pluralize(len(value), 'character')}.", f"At most {LONGEST_TEXT:,} are taken.")
        return value

    def wrong(self, task: Task, example: Example) -> str:
        return INVALID


def shown(value: Any) -> str:
    """A value as error messages show it: quoted and short."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _wrong_type(value: Any, wanted: str) -> InvalidOutput:
    return InvalidOutput("wrong-type", f"{shown(value)} is not {wanted}.", f"Expected {wanted}.")


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong_type(value, "a number")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidOutput("not-a-number", "a number beyond all scales.", "Write a number of common size.") from None
    if not isfinite(number):
        raise InvalidOutput("not-a-number", f"{value} is not a finite number.", "Write a number, or drop the item's task.")
    return number


def _as_label(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) else None


def _options(count: int) -> str:
    return f"The item has {pluralize(count, 'option')}: 0 to {count - 1}." if count > 1 else f"The item has {pluralize(count, 'option')}."


def _as_index(value: Any, letters: list[str]) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        if value in letters:
            return letters.index(value)
        if value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
    return None


LABEL, NUMBER, INDEX = Label("label"), Number("number"), Index("index")
INDEX_SET, TAGS, TEXT = IndexSet("index-set"), Tags("tags"), Text("text")
