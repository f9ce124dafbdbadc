"""Answers without a look at the question: `majority`, `random`, `random-weighted`, for every kind of task.

| answer | majority | random | random-weighted |
|---|---|---|---|
| label, index, tags | the most frequent that is legal | any | as often as in training |
| number | the mean | anywhere on the scale | a training number |
| index set | all options or none, as most are right or wrong | a coin each | right as often as in training |
| cloze | the entity in the place that is right most often | any entity | places as often as they are right |
| analogy | the most frequent answer | any training answer | as often as in training |
| span, summary | the first words, as many as the median answer has | any stretch | a stretch as long as a training answer |
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from random import Random as Dice
from statistics import fmean, median_low
from typing import Any

from gluepot.answers import NUMBER
from gluepot.answers.text import LONGEST_TEXT
from gluepot.models import CannotSolve
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

TRIES = 100
"""Draws before a training answer that this item does not have is given up for any."""


class Blind(ABC):
    """Counts the decisions of the training data: an answer, or one a token, an option, or an answer's number of words."""

    needs_training = True

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.seen: list[Any] = []
        self.ranking: list[Any] = []

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        known = (example for example in train if example.target is not None)
        self.seen = [decision for example in known for decision in decisions(task, example)]
        self.ranking = [decision for decision, _ in Counter(self.seen).most_common()]
        if self.needs_training and not self.seen:
            raise CannotSolve(f"{self.name}: {task.path} has no training data to count answers in; `random` needs none.")

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        """Each answer hangs on seed, task and item alone, so that batches and resumed runs agree."""
        answer = ANSWERS[style(task)]
        dice = (Dice(f"{self.seed} {task.path} {example.id}") for example in examples)
        return [Prediction(example.id, answer(self, task, example, own)) for example, own in zip(examples, dice, strict=False)]

    @abstractmethod
    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        """One of the legal decisions."""

    @abstractmethod
    def number(self, dice: Dice, scale: tuple[float, float]) -> float: ...

    @abstractmethod
    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        """Where an answer begins in so many words, and where it ends."""


class Majority(Blind):
    """The most frequent decision; the mean for scores."""

    @cached_property
    def mean(self) -> float:
        return fmean(self.seen)

    @cached_property
    def length(self) -> int:
        return median_low(self.seen)

    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        return next((decision for decision in self.ranking if decision in legal), legal[0])

    def number(self, dice: Dice, scale: tuple[float, float]) -> float:
        return self.mean

    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        return 0, min(most, self.length)


class Random(Blind):
    """Any legal decision, each as likely."""

    needs_training = False

    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        return dice.choice(legal)

    def number(self, dice: Dice, scale: tuple[float, float]) -> float:
        return dice.uniform(*scale)

    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        start = dice.randrange(most)
        return start, dice.randint(start + 1, most)


class RandomWeighted(Blind):
    """Decisions as likely as in the training data."""

    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        for _ in range(TRIES):
            if (decision := dice.choice(self.seen)) in legal:
                return decision
        return dice.choice(legal)

    def number(self, dice: Dice, scale: tuple[float, float]) -> float:
        return float(dice.choice(self.seen))

    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        length = min(most, dice.choice(self.seen))
        start = dice.randint(0, most - length)
        return start, start + length


def style(task: Task) -> str:
    """The form of a task's answers, or its kind where texts are answered."""
    form = KINDS[task.kind].answer.form
    return task.kind if form == "text" else form


def decisions(task: Task, example: Example) -> Iterable[Any]:
    """What is decided in an example, as its gold answer decides it."""
    target, of = example.target, style(task)
    if of == "tags":
        return list(target)
    if of == "index-set":
        return [number in target for number in range(len(example.inputs["options"]))]
    if of == "cloze":
        return [number for number, entity in enumerate(example.inputs["options"]) if entity in accepted(target)]
    if of in ("span-answer", "summary"):
        return [max(1, len(accepted(target)[0].split()))]
    return accepted(target)[:1] if of == "analogy" else [target]


def accepted(target: Any) -> list[str]:
    """All gold texts of an item."""
    return [target] if isinstance(target, str) else list(target)


def _stretch(model: Blind, text: str, dice: Dice) -> str:
    words = text.split()
    start, end = model.stretch(dice, len(words)) if words else (0, 0)
    return " ".join(words[start:end])[:LONGEST_TEXT]


def _options(example: Example) -> range:
    return range(len(example.inputs["options"]))


def _analogy(model: Blind, example: Example, dice: Dice) -> str:
    """A training answer; without any, one of the item's own words."""
    return str(model.pick(dice, model.ranking or [example.inputs[name] for name in ("a", "b", "c")]))


ANSWERS: dict[str, Callable[[Blind, Task, Example, Dice], Any]] = {
    "label": lambda model, task, example, dice: model.pick(dice, task.labels),
    "number": lambda model, task, example, dice: NUMBER.on_scale(task, model.number(dice, task.scale or (0.0, 1.0))),
    "index": lambda model, task, example, dice: model.pick(dice, _options(example)),
    "index-set": lambda model, task, example, dice: [n for n in _options(example) if model.pick(dice, (False, True))],
    "tags": lambda model, task, example, dice: [model.pick(dice, task.labels) for _ in example.inputs["tokens"]],
    "cloze": lambda model, task, example, dice: example.inputs["options"][model.pick(dice, _options(example))],
    "analogy": lambda model, task, example, dice: _analogy(model, example, dice),
    "span-answer": lambda model, task, example, dice: _stretch(model, example.inputs["context"], dice),
    "summary": lambda model, task, example, dice: _stretch(model, example.inputs["text"], dice),
}
"""By style of answer."""
