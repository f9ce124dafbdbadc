"""TF-IDF features with classical estimators: `tfidf-svm`, `tfidf-tree`, `tfidf-forest`, `tfidf-logistic`."""

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatchmethod
from importlib import import_module
from typing import Any

import numpy as np

from gluepot.answers import Answer, Entity, Index, IndexSet, Label, Number, Tags, Text
from gluepot.models import SUITE_BASELINES, Adapter, CannotSolve
from gluepot.models.baselines.estimators import Classifier, Regressor, sample_training_rows, vocabulary_cap
from gluepot.models.features import make_recipe
from gluepot.models.features.cloze import entities
from gluepot.models.features.matrix import Floats, Item
from gluepot.models.features.recipes import Encoder, Recipe
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

AT_ONCE = 20_000
"""Items encoded per batch; affects memory, not the answers."""
BY_COUNT = ("accuracy", "micro-f1")
"""Metrics that weight labels by their number of examples."""
Group = tuple[Example, list[Item]]


class TfidfModel:
    """TF-IDF model of a task, or the baseline as defined by a suite's publishers."""

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.solver: Adapter | None = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        self.solver = self._choose(task)
        self.solver.fit(task, train, dev)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        assert self.solver is not None, "fit comes first"
        return self.solver.predict(task, examples)

    def _choose(self, task: Task) -> Adapter:
        own = f"{task.suite}/{self.name}"
        if own not in SUITE_BASELINES:
            return TermModel(self.name, self.seed)
        module, _, name = SUITE_BASELINES[own].partition(":")
        solver: Adapter = getattr(import_module(module), name)(self.seed)
        return solver


class TermModel:
    """Feature recipe for the task's kind, with an estimator over its items."""

    recipe: Recipe

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.encoder: Encoder | None = None
        self.regressor: Regressor | None = None
        self.classifier = Classifier(name, seed, even=True)

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        recipe = make_recipe(task)
        if recipe is None:
            raise CannotSolve(f"{self.name}: {task.path} is a task of the kind {task.kind}, which TF-IDF features cannot answer.")
        known = [example for example in train if example.target is not None]
        self.recipe = recipe
        recipe.learn(known)
        lessons = sample_training_rows(self.name, self.seed, [lesson for example in known for lesson in recipe.lessons(example)])
        if not lessons:
            raise CannotSolve(f"{self.name}: {task.path} has no training data that it could learn from.")
        self._learn(task, [item for item, _ in lessons], [target for _, target in lessons])

    def _learn(self, task: Task, items: list[Item], targets: list[Any]) -> None:
        self.encoder = Encoder(self.recipe, vocabulary_cap(self.name))
        rows = self.encoder.fit(items)
        if KINDS[task.kind].answer.by_distance:
            self.regressor = Regressor(self.name, self.seed, task.scale or (-np.inf, np.inf))
            self.regressor.fit(rows, targets)
        else:
            self.classifier = Classifier(self.name, self.seed, even=weighs_evenly(task))
            self.classifier.fit(rows, targets)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        answer = KINDS[task.kind].answer
        return [self.answer(answer, task, group, scores) for group, scores in self._scored(examples)]

    def _scored(self, examples: Sequence[Example]) -> Iterator[tuple[Group, Floats]]:
        """Yield each example with its items and their scores."""
        for groups in _batches((example, self.recipe.items(example)) for example in examples):
            scores, end = self._scores([item for _, items in groups for item in items]), 0
            for example, items in groups:
                start, end = end, end + len(items)
                yield (example, items), scores[start:end]

    def _scores(self, items: list[Item]) -> Floats:
        assert self.encoder is not None, "fit comes first"
        if not items:
            return np.zeros((0, 1))
        rows = self.encoder.transform(items)
        return self.classifier.scores(rows) if self.regressor is None else self.regressor.predict(rows)[:, None]

    @singledispatchmethod
    def answer(self, answer: Answer, task: Task, group: Group, scores: Floats) -> Prediction:
        """Convert the scores of an example's items to a prediction in the form of the task."""
        raise CannotSolve(f"{self.name}: TF-IDF features cannot answer {task.path}.")

    @answer.register
    def _label(self, answer: Label, task: Task, group: Group, scores: Floats) -> Prediction:
        known = dict(zip(self.classifier.labels, scores[0].tolist(), strict=True))
        by_label = [known.get(label, 0.0 if self.classifier.probabilities else -np.inf) for label in task.labels]
        best = task.labels[_best(np.array(by_label))]
        return Prediction(group[0].id, best, by_label if self.classifier.probabilities else None)

    @answer.register
    def _number(self, answer: Number, task: Task, group: Group, scores: Floats) -> Prediction:
        return Prediction(group[0].id, float(scores[0, 0]))

    @answer.register
    def _entity(self, answer: Entity, task: Task, group: Group, scores: Floats) -> Prediction:
        return Prediction(group[0].id, entities(group[0])[_best(self._right(scores))])

    @answer.register
    def _text(self, answer: Text, task: Task, group: Group, scores: Floats) -> Prediction:
        return Prediction(group[0].id, group[1][_best(self._right(scores))].text if group[1] else "")

    @answer.register
    def _tags(self, answer: Tags, task: Task, group: Group, scores: Floats) -> Prediction:
        return Prediction(group[0].id, [self.classifier.labels[best] for best in scores.argmax(axis=1)])

    @answer.register
    def _index(self, answer: Index, task: Task, group: Group, scores: Floats) -> Prediction:
        right = self._right(scores)
        shares = (right / right.sum()).tolist() if self.classifier.probabilities and right.sum() > 0 else None
        return Prediction(group[0].id, _best(right), shares)

    @answer.register
    def _index_set(self, answer: IndexSet, task: Task, group: Group, scores: Floats) -> Prediction:
        right = self._right(scores)
        bound = 0.5 if self.classifier.probabilities else 0.0
        chosen = [number for number, score in enumerate(right.tolist()) if score > bound]
        return Prediction(group[0].id, chosen, right.tolist() if self.classifier.probabilities else None)

    def _right(self, scores: Floats) -> Floats:
        """Return the score of the class True for each item."""
        return scores[:, self.classifier.labels.index(True)] if True in self.classifier.labels else np.zeros(len(scores))


def weighs_evenly(task: Task) -> bool:
    """Whether to weight labels equally, depending on the task's primary metric.

    One-vs-rest problems of many labels are imbalanced by construction: without equal weights, BHTC loses three points of F1. Tags
    are naturally imbalanced, and equal weights produce false entities: NERC loses seven.
    """
    answer = KINDS[task.kind].answer
    two = 0 < len(answer.classes(task)) <= 2
    return not answer.per_token and not (two and task.metrics[0] in BY_COUNT)


def _best(scores: Floats) -> int:
    """Return the index of the highest score, the first of equal ones."""
    return int(scores.argmax())


def _batches(groups: Iterable[Group]) -> Iterator[list[Group]]:
    """Yield batches of examples with at most AT_ONCE items, or a single example."""
    batch: list[Group] = []
    size = 0
    for group in groups:
        if batch and size + len(group[1]) > AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(group)
        size += len(group[1])
    if batch:
        yield batch
