"""What every form of answer has: how gold and predictions are read into it, and what a wrong one looks like."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gluepot.errors import InvalidOutput
from gluepot.plurals import pluralize
from gluepot.records import Example, Task

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


def shown(value: Any) -> str:
    """A value as error messages show it: quoted and short."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def wrong_type(value: Any, wanted: str) -> InvalidOutput:
    return InvalidOutput("wrong-type", f"{shown(value)} is not {wanted}.", f"Expected {wanted}.")


def options_in_words(count: int) -> str:
    """How many options an item has, and how they are numbered."""
    return f"The item has {pluralize(count, 'option')}: 0 to {count - 1}." if count > 1 else f"The item has {pluralize(count, 'option')}."
