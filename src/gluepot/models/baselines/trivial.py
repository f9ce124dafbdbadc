"""Trivial baselines that ignore the input: `majority`, `random`, `random-weighted`, for every task kind.

| answer | majority | random | random-weighted |
|---|---|---|---|
| label, index, tags | the most frequent legal one | any | training frequency |
| number | the mean | uniform on the scale | a training number |
| index set | all options or none, by majority | each with probability 1/2 | training frequency |
| entity | the most frequently correct position | any position | training frequency of positions |
| word, or a plug-in's form | the most frequent answer | any training answer | training frequency |
| text, summary | the first words, of median answer length | any span of words | a span of a training answer's length |
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, singledispatch
from random import Random as Dice
from statistics import fmean, median_low
from typing import Any

from gluepot.answers import Answer, Entity, Index, IndexSet, Label, Number, Tags, Text, Word
from gluepot.answers.text import LONGEST_TEXT
from gluepot.models import CannotSolve
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

TRIES = 100
"""Draws from the training answers before falling back to any legal one."""


class TrivialBaseline(ABC):
    """Base class of trivial baselines, which count the decisions in the training data: one per item, token or option."""

    needs_training = True

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.seen: list[Any] = []
        self.ranking: list[Any] = []

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        answer = KINDS[task.kind].answer
        self.seen = [decision for example in train if example.target is not None for decision in answer.decisions(example)]
        self.ranking = [decision for decision, _ in Counter(self.seen).most_common()]
        if self.needs_training and not self.seen:
            raise CannotSolve(f"{self.name}: {task.path} has no training data to count answers in; `random` needs none.")

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        """Predict each item from seed, task and item id alone, so that the result does not depend on batches or resuming."""
        answer = KINDS[task.kind].answer
        dice = (Dice(f"{self.seed} {task.path} {example.id}") for example in examples)
        return [Prediction(example.id, guess(answer, self, task, example, own)) for example, own in zip(examples, dice, strict=False)]

    @abstractmethod
    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        """Return one of the legal decisions."""

    @abstractmethod
    def number(self, dice: Dice, scale: tuple[float, float]) -> float: ...

    @abstractmethod
    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        """Return the start and end of an answer in a text of `most` words."""


class Majority(TrivialBaseline):
    """Most frequent decision; the mean for numbers."""

    @cached_property
    def mean(self) -> float:
        return fmean(self.seen)

    @cached_property
    def length(self) -> int:
        return median_low(map(_length, self.seen))

    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        return next((decision for decision in self.ranking if decision in legal), legal[0])

    def number(self, dice: Dice, scale: tuple[float, float]) -> float:
        return self.mean

    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        return 0, min(most, self.length)


class Random(TrivialBaseline):
    """Uniformly random legal decision."""

    needs_training = False

    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        return dice.choice(legal)

    def number(self, dice: Dice, scale: tuple[float, float]) -> float:
        return dice.uniform(*scale)

    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        start = dice.randrange(most)
        return start, dice.randint(start + 1, most)


class RandomWeighted(TrivialBaseline):
    """Random decision with the frequencies of the training data."""

    def pick(self, dice: Dice, legal: Sequence[Any]) -> Any:
        for _ in range(TRIES):
            if (decision := dice.choice(self.seen)) in legal:
                return decision
        return dice.choice(legal)

    def number(self, dice: Dice, scale: tuple[float, float]) -> float:
        return float(dice.choice(self.seen))

    def stretch(self, dice: Dice, most: int) -> tuple[int, int]:
        length = min(most, _length(dice.choice(self.seen)))
        start = dice.randint(0, most - length)
        return start, start + length


@singledispatch
def guess(answer: Answer, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> Any:
    """Return an answer of a form: a training answer or, for free text without training data, one of the item's own inputs."""
    own = [example.inputs[name] for name in KINDS[task.kind].texts if name in example.inputs] if answer.free else []
    if not (legal := model.ranking or own):
        raise CannotSolve(f"{model.name}: {task.path} has no training data to take answers from.")
    return model.pick(dice, legal)


@guess.register(Label)
def _label(answer: Label, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> Any:
    return model.pick(dice, task.labels)


@guess.register(Tags)
def _tags(answer: Tags, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> list[str]:
    return [model.pick(dice, task.labels) for _ in example.inputs["tokens"]]


@guess.register(Number)
def _number(answer: Number, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> float:
    return answer.on_scale(task, model.number(dice, task.scale or (0.0, 1.0)))


@guess.register(Index)
@guess.register(Entity)
def _place(answer: Answer, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> Any:
    return answer.option(task, example, model.pick(dice, range(len(example.inputs["options"]))))


@guess.register(IndexSet)
def _places(answer: IndexSet, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> list[int]:
    return [number for number in range(len(example.inputs["options"])) if model.pick(dice, (False, True))]


@guess.register(Text)
def _stretch(answer: Text, model: TrivialBaseline, task: Task, example: Example, dice: Dice) -> str:
    """Return a span of words of the item's first text, the passage."""
    words = str(example.inputs[KINDS[task.kind].texts[0]]).split()
    start, end = model.stretch(dice, len(words)) if words else (0, 0)
    return " ".join(words[start:end])[:LONGEST_TEXT]


guess.register(Word, guess.dispatch(Answer))


def _length(text: str) -> int:
    return max(1, len(text.split()))
