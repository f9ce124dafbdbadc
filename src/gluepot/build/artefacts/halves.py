"""Partial-input models: their accuracy shows how much of the answer is predictable without the hidden part of the input."""

from collections.abc import Sequence
from random import Random
from typing import Any

from gluepot.records import Example, Source, Task
from gluepot.tasks import Kind

MOST = 10_000
"""Maximum number of training items: more only cost time."""
_NO_FILES = Source(files={})


class HalfModel:
    """TF-IDF baseline on one of two texts."""

    def __init__(self, name: str, field: str) -> None:
        self.name, self.field = name, field

    def fit(self, examples: Sequence[Example]) -> None:
        from gluepot.models.baselines.tfidf import TermModel

        self.task = _task("classification", sorted({str(example.target) for example in examples}))
        self.model = TermModel("tfidf-svm", 0)
        self.model.fit(self.task, self._halves(some(examples)), [])

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        return [prediction.output for prediction in self.model.predict(self.task, self._halves(examples))]

    def _halves(self, examples: Sequence[Example]) -> list[Example]:
        return [Example(example.id, {"text": str(example.inputs.get(self.field, ""))}, example.target) for example in examples]


class OptionsModel:
    """TF-IDF baseline on the options without the question."""

    def __init__(self, name: str, kind: Kind) -> None:
        self.name, self.kind = name, kind

    def fit(self, examples: Sequence[Example]) -> None:
        from gluepot.models.baselines.tfidf import TermModel

        self.task = _task(self.kind.name, [])
        self.model = TermModel("tfidf-svm", 0)
        self.model.fit(self.task, self._halves(some(examples)), [])

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        return [prediction.output for prediction in self.model.predict(self.task, self._halves(examples))]

    def _halves(self, examples: Sequence[Example]) -> list[Example]:
        hidden = dict.fromkeys(self.kind.texts, "")
        return [Example(e.id, {**{k: v for k, v in e.inputs.items() if k in self.kind.inputs}, **hidden}, e.target) for e in examples]


def some(examples: Sequence[Example]) -> Sequence[Example]:
    """Return all examples, or a random sample of MOST in their original order."""
    if len(examples) <= MOST:
        return examples
    return [examples[place] for place in sorted(Random(0).sample(range(len(examples)), MOST))]


def _task(kind: str, labels: list[str]) -> Task:
    fields = {"id": "id", "text": "text", "target": "target"}
    return Task("", "", kind, "und", [], ["accuracy"], "", "", "", _NO_FILES, fields, labels=labels, suite="half", name="half")
