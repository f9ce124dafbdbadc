"""Static word vectors as a model: `vectors:FILE`.

Words and candidates are compared by cosine, analogies are solved over the whole vocabulary, and averaged texts are the input of a
logistic or ridge regression. A word is looked up as written, then in lower case.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from gluepot.answers import NUMBER
from gluepot.models import CannotSolve
from gluepot.models.embeddings import Floats, nearest, open_embeddings
from gluepot.models.embeddings.features import FEATURES, VectorLookup
from gluepot.models.embeddings.linear import Linear, learn_classes, learn_numbers
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

UNTRAINED: dict[str, Callable[..., list[Any]]] = {
    "word-pair": nearest.rate_pairs,
    "choice": nearest.choose,
    "cloze": nearest.fill_gaps,
    "analogy": nearest.complete,
}
LARGEST = 250_000_000
"""Cells of a training matrix, 1 GB; larger training data is sampled."""
Rows = tuple[Example, list[Any]]
"""Example with the target of each of its feature rows."""
RIGHT, WRONG = "right", "wrong"
"""Classes of the options in multi-choice tasks."""


class Vectors:
    """Word vectors from a file, with the model fitted to one task."""

    left_out: int
    """Number of items skipped because their words are unknown, where the task allows it."""
    unknown: int
    """Number of items whose words are unknown, answered by a default: the mean score, the first option, no word."""

    def __init__(self, name: str, argument: str, seed: int, trust_pickle: bool = False) -> None:
        self.name, self.seed = name, seed
        self.embeddings = open_embeddings(Path(argument), trust_pickle=trust_pickle)
        self.left_out = self.unknown = 0
        self.middle: float | None = None
        self.model: Linear | None = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Fit a linear model on averaged vectors; word pairs only use the mean of the training scores."""
        self.left_out = self.unknown = 0
        train = [example for example in train if example.target is not None]
        if task.kind in UNTRAINED:
            if task.kind == "word-pair" and train:
                self.middle = fmean(example.target for example in train)
            return
        if task.kind not in FEATURES:
            raise CannotSolve(f"{task.path}: word vectors write no text, which a {task.kind} task asks for.")
        train = [example for example in train if _targets(task, example)]
        if not train:
            raise CannotSolve(f"{task.path}: word vectors need training data for a {task.kind} task, and there is none.")
        features, targets = self._training_matrix(task, train)
        self.model = learn_numbers(features, targets) if task.kind == "regression" else learn_classes(features, targets, self.seed)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        """Return one prediction per example; unknown items are counted."""
        if task.kind in UNTRAINED:
            outputs = UNTRAINED[task.kind](self.embeddings, task, examples)
            return [Prediction(e.id, self._guess(task, e) if o is None else o) for e, o in zip(examples, outputs, strict=True)]
        if self.model is None:
            raise CannotSolve(f"{task.path}: word vectors must be fitted before they can solve a {task.kind} task.")
        return [self._judge(self.model, task, example) for example in examples]

    def _guess(self, task: Task, example: Example) -> Any:
        """Return the answer for unknown words."""
        if task.may_skip:
            self.left_out += 1
            return None
        self.unknown += 1
        answer = KINDS[task.kind].answer
        if answer.by_distance:
            return NUMBER.on_scale(task, self.middle) if self.middle is not None else fmean(task.scale or (0.0, 1.0))
        return answer.option(task, example, 0) if answer.options(task, example) else ""

    def _judge(self, model: Linear, task: Task, example: Example) -> Prediction:
        """Return the linear model's prediction in the form of the task."""
        sight = VectorLookup(self.embeddings)
        rows = FEATURES[task.kind](sight, example.inputs)
        self.unknown += not sight.knows
        answer = KINDS[task.kind].answer
        if answer.by_distance:
            low, high = task.scale or (-np.inf, np.inf)
            return Prediction(example.id, float(np.clip(model.values(rows[0])[0], low, high)))
        judged = [model.probabilities(row) for row in rows]
        if answer.per_option:
            return Prediction(example.id, [place for place, shares in enumerate(judged) if shares.get(RIGHT, 0.0) > 0.5])
        if answer.per_token:
            return Prediction(example.id, [_likeliest(task, shares) for shares in judged])
        return Prediction(example.id, _likeliest(task, judged[0]), [judged[0].get(label, 0.0) for label in task.labels])

    def _training_matrix(self, task: Task, train: Sequence[Example]) -> tuple[Floats, list[Any]]:
        """Return features and targets of the training data, or of as many random examples as fit."""
        width = FEATURES[task.kind](VectorLookup(self.embeddings), train[0].inputs).shape[1]
        chosen = self._sample([(example, _targets(task, example)) for example in train], LARGEST // width)
        targets = [target for _, row_targets in chosen for target in row_targets]
        features = np.empty((len(targets), width), np.float32)
        place = 0
        for example, row_targets in chosen:
            features[place : place + len(row_targets)] = FEATURES[task.kind](VectorLookup(self.embeddings), example.inputs)
            place += len(row_targets)
        return features, targets

    def _sample(self, train: list[Rows], room: int) -> list[Rows]:
        """Return all examples if their rows fit, otherwise random ones up to the limit."""
        ends = np.cumsum([len(targets) for _, targets in train])
        if ends[-1] <= room:
            return train
        order = np.random.default_rng(self.seed).permutation(len(train))
        ends = np.cumsum([len(train[number][1]) for number in order])
        return [train[number] for number in sorted(order[ends <= room])]


def _targets(task: Task, example: Example) -> list[Any]:
    """Return the target of each row of an example."""
    answer = KINDS[task.kind].answer
    decisions = answer.decisions(example)
    return [RIGHT if right else WRONG for right in decisions] if answer.per_option else decisions


def _likeliest(task: Task, shares: dict[str, float]) -> str:
    """Return the most probable of the task's labels; a diagnostic may have fewer than the training task."""
    return max(task.labels, key=lambda label: shares.get(label, 0.0))
