"""What a form of answer is: how it is read, judged, shown, chosen and averaged."""

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
    """One form of answer. `read` takes what a stranger sent and returns the answer or raises InvalidOutput.

    A form says what it is, and every other room asks it: nobody compares its name. A plug-in may bring a form of its own, for a task
    kind that it registers; `read` and `wrong` are enough where an answer is one hashable thing, right or wrong.
    """

    form: str
    """The name by which metrics list the forms that they take. Forms that differ otherwise may share it."""
    for_none: ClassVar[str] = "wrong"
    """What an answer that was left out counts as, in words."""
    needs: ClassVar[tuple[str, ...]] = ()
    """What a task must declare: its labels, its scale."""
    of_options: ClassVar[bool] = False
    """Whether an answer is about the item's own options."""
    per_token: ClassVar[bool] = False
    """Whether an answer is one decision a token."""
    per_option: ClassVar[bool] = False
    """Whether an answer is one decision an option."""
    by_distance: ClassVar[bool] = False
    """Whether answers are near or far rather than right or wrong."""
    partial: ClassVar[bool] = False
    """Whether an answer can be right in part."""
    free: ClassVar[bool] = False
    """Whether any string is an answer."""
    multiline: ClassVar[bool] = False
    """Whether an answer may have several lines."""

    @property
    def graded(self) -> bool:
        """Whether there is more than right and wrong."""
        return self.by_distance or self.partial

    @property
    def binary(self) -> bool:
        """Whether an item is one decision, right or wrong: what McNemar's test and its power are about."""
        return not (self.graded or self.per_token or self.per_option)

    @property
    def categorical(self) -> bool:
        """Whether an answer is one of a few that are listed."""
        return self.binary and not self.free

    # reading

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        """The gold answer from the official file; by default it is read like a prediction."""
        return self.read(task, Example("", inputs), value)

    @abstractmethod
    def read(self, task: Task, example: Example, value: Any) -> Any:
        """A prediction from whatever was sent."""

    def from_json(self, output: Any) -> Any:
        """An output as metrics take it, hashable: tuples or sets where JSON has lists."""
        return tuple(output) if isinstance(output, list) else output

    # judging

    @abstractmethod
    def wrong(self, task: Task, example: Example) -> Any:
        """An answer that is certainly wrong, for `--invalid wrong`."""

    def fill(self, task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> list[Any]:
        """The answers with those that were left out (None) counted as wrong."""
        return [self.wrong(task, e) if output is None else output for e, output in zip(examples, outputs, strict=True)]

    def accepted(self, target: Any) -> tuple[Any, ...]:
        """The predictions that a gold answer calls right, the best first."""
        return (target,)

    def merit(self, target: Any, output: Any) -> float:
        """How good an answer is: 1 right, 0 wrong, between them what is right in part; of numbers, how near (0 at best)."""
        return float(output in self.accepted(target))

    def constant(self, targets: Sequence[Any]) -> Any | None:
        """The best answer that is the same for all items; None where there is none to speak of."""
        return None

    def chance(self, examples: Sequence[Example]) -> float | None:
        """The accuracy of guessing; None where one cannot guess."""
        return None

    # choosing

    def classes(self, task: Task) -> list[str]:
        """The labels that an answer is one of; none where it is something else, or one of the item's own options."""
        return task.labels if self.categorical and "labels" in self.needs else []

    def options(self, task: Task, example: Example) -> Sequence[str]:
        """What is chosen among, for the whole item or for each token: the task's labels or the item's options."""
        return task.labels if "labels" in self.needs else example.inputs["options"] if self.of_options else ()

    def right_options(self, example: Example) -> Set[int]:
        """The numbers of the item's options that gold calls right."""
        return frozenset()

    def option(self, task: Task, example: Example, number: int) -> Any:
        """The answer that an option stands for."""
        return self.options(task, example)[number]

    def position(self, task: Task, output: Any) -> int | None:
        """The number of the option that a categorical answer stands for; None if it is none."""
        return None

    def choose(self, task: Task, example: Example, shares: "Floats") -> Any:
        """The answer that the probabilities of its options speak for."""
        return self.option(task, example, int(shares.argmax()))

    def pool(self, outputs: Sequence[Any], scores: Sequence[Sequence[float] | None]) -> tuple[Any, list[float] | None]:
        """One answer of several that have no options in common, with its weight: the one that has most behind it, the first of equals."""
        weights: dict[Any, float] = defaultdict(float)
        for output, score in zip(outputs, scores, strict=True):
            weights[self.from_json(output)] += (score or [1.0])[0] / len(outputs)
        best = max(weights, key=lambda answer: weights[answer])
        return best, [round(weights[best], 6)]

    # counting and showing

    def decisions(self, example: Example) -> list[Any]:
        """What gold decides in an item, one by one."""
        return list(self.accepted(example.target)[:1])

    def tally(self, target: Any) -> Iterable[str]:
        """What of a gold answer is counted in tables of labels; nothing where answers are hardly ever the same."""
        return ()

    def in_words(self, example: Example, output: Any) -> list[str]:
        """An answer, predicted or gold, as people read it: one text, or one for each option that it names."""
        return [str(output)]


def shown(value: Any) -> str:
    """A value as error messages show it: quoted and short."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def wrong_type(value: Any, wanted: str) -> InvalidOutput:
    return InvalidOutput("wrong-type", f"{shown(value)} is not {wanted}.", f"Expected {wanted}.")


def options_in_words(count: int) -> str:
    """How many options an item has, and how they are numbered."""
    return f"The item has {pluralize(count, 'option')}: 0 to {count - 1}." if count > 1 else f"The item has {pluralize(count, 'option')}."


def option_in_words(example: Example, number: int) -> str:
    """An option with its number, on one line."""
    options = example.inputs.get("options", ())
    text = str(options[number]) if 0 <= number < len(options) else ""
    return " ".join(f"{number}: {text}".split())
