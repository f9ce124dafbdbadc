"""Base class of answer forms: parsing, scoring, display, choice and pooling of answers."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gluepot.errors import InvalidOutput
from gluepot.plurals import pluralize
from gluepot.records import Example, Task

if TYPE_CHECKING:
    from gluepot.metrics.sample import Floats

LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Answer(ABC):
    """Form of answer. `read` parses untrusted input and returns the answer or raises InvalidOutput.

    Other rooms query the properties of a form, never its name. A plug-in may define a form of its own for a task kind that it
    registers; `read` and `wrong` suffice if an answer is one hashable value, right or wrong.
    """

    form: str
    """Name by which metrics list the forms that they accept; different forms may share it."""
    for_none: ClassVar[str] = "wrong"
    """Description of the value that a missing answer counts as."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Fields that a task must declare: its labels, its scale."""
    of_options: ClassVar[bool] = False
    """Whether an answer refers to the item's own options."""
    per_token: ClassVar[bool] = False
    """Whether an answer is one decision per token."""
    per_option: ClassVar[bool] = False
    """Whether an answer is one decision per option."""
    by_distance: ClassVar[bool] = False
    """Whether answers are scored by distance rather than as right or wrong."""
    partial: ClassVar[bool] = False
    """Whether an answer can be partly right."""
    free: ClassVar[bool] = False
    """Whether any string is a valid answer."""
    multiline: ClassVar[bool] = False
    """Whether an answer may have several lines."""

    @property
    def graded(self) -> bool:
        """Whether there are degrees between right and wrong."""
        return self.by_distance or self.partial

    @property
    def binary(self) -> bool:
        """Whether an item is one decision, right or wrong, as McNemar's test and its power analysis require."""
        return not (self.graded or self.per_token or self.per_option)

    @property
    def categorical(self) -> bool:
        """Whether an answer is one of a fixed set."""
        return self.binary and not self.free

    # parsing

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        """Parse the gold answer of an official file; by default like a prediction."""
        return self.read(task, Example("", inputs), value)

    @abstractmethod
    def read(self, task: Task, example: Example, value: Any) -> Any:
        """Parse a prediction from untrusted input."""

    def from_json(self, output: Any) -> Any:
        """Convert a JSON output to the hashable form that metrics take: tuples or sets instead of lists."""
        return tuple(output) if isinstance(output, list) else output

    # scoring

    @abstractmethod
    def wrong(self, task: Task, example: Example) -> Any:
        """Return a certainly wrong answer, for `--invalid wrong`."""

    def fill(self, task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> list[Any]:
        """Return the answers with missing ones (None) replaced by wrong ones."""
        return [self.wrong(task, e) if output is None else output for e, output in zip(examples, outputs, strict=True)]

    def accepted(self, target: Any) -> tuple[Any, ...]:
        """Return the predictions that a gold answer accepts, the best first."""
        return (target,)

    def merit(self, target: Any, output: Any) -> float:
        """Return the quality of an answer: 1 right, 0 wrong, between them partly right; for numbers the negative distance (0 at best)."""
        return float(output in self.accepted(target))

    def constant(self, targets: Sequence[Any]) -> Any | None:
        """Return the best constant answer for all items; None if there is none."""
        return None

    def chance(self, examples: Sequence[Example]) -> float | None:
        """Return the accuracy of random guessing; None if it is undefined."""
        return None

    # choosing

    def classes(self, task: Task) -> list[str]:
        """Return the labels of a categorical answer; empty for other forms and for the item's own options."""
        return task.labels if self.categorical and "labels" in self.needs else []

    def options(self, task: Task, example: Example) -> Sequence[str]:
        """Return the options of the item or of each token: the task's labels or the item's own options."""
        return task.labels if "labels" in self.needs else example.inputs["options"] if self.of_options else ()

    def right_options(self, example: Example) -> Set[int]:
        """Return the indices of the item's correct options."""
        return frozenset()

    def option(self, task: Task, example: Example, number: int) -> Any:
        """Return the answer of an option by its index."""
        return self.options(task, example)[number]

    def position(self, task: Task, output: Any) -> int | None:
        """Return the index of the option that a categorical answer selects; None if there is none."""
        return None

    def choose(self, task: Task, example: Example, shares: "Floats") -> Any:
        """Return the answer with the highest probability, from the probabilities of the options."""
        return self.option(task, example, int(shares.argmax()))

    def pool(self, outputs: Sequence[Any], scores: Sequence[Sequence[float] | None]) -> tuple[Any, list[float] | None]:
        """Pool several answers without common options into the one with the highest weight, the first of equals, and return its weight."""
        weights: dict[Any, float] = defaultdict(float)
        for output, score in zip(outputs, scores, strict=True):
            weights[self.from_json(output)] += (score or [1.0])[0] / len(outputs)
        best = max(weights, key=lambda answer: weights[answer])
        return best, [round(weights[best], 6)]

    # counting and display

    def decisions(self, example: Example) -> list[Any]:
        """Return the gold decisions of an item."""
        return list(self.accepted(example.target)[:1])

    def tally(self, target: Any) -> Iterable[str]:
        """Return the values of a gold answer to count in label tables; empty where answers rarely repeat."""
        return ()

    def format_output(self, example: Example, output: Any) -> list[str]:
        """Return an answer, predicted or gold, for display: one text, or one per selected option."""
        return [str(output)]


def shown(value: Any) -> str:
    """Return a value for error messages: quoted and truncated."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def wrong_type(value: Any, wanted: str) -> InvalidOutput:
    return InvalidOutput("wrong-type", f"{shown(value)} is not {wanted}.", f"Expected {wanted}.")


def describe_options(count: int) -> str:
    """Return a sentence on the number of options of an item and their indices."""
    return f"The item has {pluralize(count, 'option')}: 0 to {count - 1}." if count > 1 else f"The item has {pluralize(count, 'option')}."


def describe_option(example: Example, number: int) -> str:
    """Return an option with its index, on one line."""
    options = example.inputs.get("options", ())
    text = str(options[number]) if 0 <= number < len(options) else ""
    return " ".join(f"{number}: {text}".split())
