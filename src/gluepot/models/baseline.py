"""Baselines that look at no text: the most frequent answer, any answer, answers as frequent as in training."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from gluepot.records import Example, Prediction, Task
from gluepot.statistics.bootstrap import generator
from gluepot.tasks import KINDS


class Trivial(ABC):
    """What all three share: how often each answer occurs in training. Answers depend on nothing but seed, task and item."""

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.answers: Counter[Hashable] = Counter()
        self.numbers: list[float] = []
        self.marked = 0.5
        """The share of options that are right, where any number of them may be."""

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Count the answers of the training data, or of the development data where there is none."""
        examples = train or dev
        form = KINDS[task.kind].answer.form
        if form == "number":
            self.numbers = [float(example.target) for example in examples]
        elif form == "index-set" and examples:
            self.marked = sum(len(e.target) for e in examples) / sum(len(e.inputs["options"]) for e in examples)
        elif form == "tags":
            self.answers = Counter(tag for example in examples for tag in example.target)
        elif task.kind in ("choice", "analogy") or form == "label":
            self.answers = Counter(example.target for example in examples)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        return [Prediction(e.id, self.answer(task, e, generator(self.name, self.seed, task.path, e.id))) for e in examples]

    @abstractmethod
    def answer(self, task: Task, example: Example, rng: np.random.Generator) -> Any:
        """The answer to one item; `rng` is the item's own."""


class Majority(Trivial):
    """The most frequent answer; the mean for numbers; every option where most are right, otherwise the first;
    the entity and the words that come first where the answer is taken from a text."""

    def answer(self, task: Task, example: Example, rng: np.random.Generator) -> Any:
        inputs, form = example.inputs, KINDS[task.kind].answer.form
        if form == "number":
            return fmean(self.numbers) if self.numbers else _middle(task)
        if form == "tags":
            return [self._most(task.labels)] * len(inputs["tokens"])
        if form == "index-set":
            return list(range(len(inputs["options"]))) if self.marked > 0.5 else [0]
        if form == "index":
            return self._most(range(len(inputs["options"])))
        if form == "label":
            return self._most(task.labels)
        return self._text(task, example)

    def _most(self, legal: Sequence[Any]) -> Any:
        return max(legal, key=lambda answer: self.answers[answer])

    def _text(self, task: Task, example: Example) -> str:
        if task.kind == "analogy":
            return str(self.answers.most_common(1)[0][0]) if self.answers else ""
        if task.kind == "cloze":
            return str(example.inputs["options"][0])
        words = str(example.inputs["context" if task.kind == "span-answer" else "text"]).split()
        return " ".join(words[:3] if task.kind == "span-answer" else words[:10])


class Random(Trivial):
    """Any legal answer, each as likely."""

    def answer(self, task: Task, example: Example, rng: np.random.Generator) -> Any:
        inputs, form = example.inputs, KINDS[task.kind].answer.form
        if form == "number":
            return float(rng.uniform(*(task.scale or (0.0, 1.0))))
        if form == "tags":
            return [self.choose(task.labels, rng) for _ in inputs["tokens"]]
        if form == "index-set":
            return [i for i in range(len(inputs["options"])) if rng.random() < self.share()]
        if form == "index":
            return self.choose(range(len(inputs["options"])), rng)
        if form == "label":
            return self.choose(task.labels, rng)
        return self._text(task, example, rng)

    def share(self) -> float:
        return 0.5

    def choose(self, legal: Sequence[Any], rng: np.random.Generator) -> Any:
        return legal[int(rng.integers(len(legal)))]

    def _text(self, task: Task, example: Example, rng: np.random.Generator) -> str:
        if task.kind == "cloze":
            return str(self.choose(example.inputs["options"], rng))
        if task.kind == "analogy":
            known = sorted(map(str, self.answers)) or [example.inputs["b"]]
            return str(self.choose(known, rng))
        words = str(example.inputs["context" if task.kind == "span-answer" else "text"]).split()
        start = int(rng.integers(max(1, len(words))))
        return " ".join(words[start : start + (3 if task.kind == "span-answer" else 10)])


class RandomWeighted(Random):
    """Answers as likely as in the training data."""

    def answer(self, task: Task, example: Example, rng: np.random.Generator) -> Any:
        if KINDS[task.kind].answer.form == "number" and self.numbers:
            return self.numbers[int(rng.integers(len(self.numbers)))]
        return super().answer(task, example, rng)

    def share(self) -> float:
        return self.marked

    def choose(self, legal: Sequence[Any], rng: np.random.Generator) -> Any:
        weights = np.array([self.answers[answer] for answer in legal], float)
        if not weights.sum():
            return super().choose(legal, rng)
        return legal[int(rng.choice(len(legal), p=weights / weights.sum()))]


def _middle(task: Task) -> float:
    low, high = task.scale or (0.0, 1.0)
    return (low + high) / 2
