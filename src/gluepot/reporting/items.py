"""Single items: those that most systems get wrong, and those on which systems disagree."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from gluepot.metrics.sample import Floats
from gluepot.plurals import pluralize
from gluepot.records import Example, Task
from gluepot.reporting.excerpts import answer_text, item_text
from gluepot.reporting.systems import LoadedSystem
from gluepot.runs.comparison.merits import item_gains
from gluepot.runs.verification import gold_answer
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks import KINDS

MOST = 10
EPSILON = 1e-9
ENORMOUS = np.errstate(over="ignore", invalid="ignore")
"""Answers may be as large as a double: the difference of two is then infinite, and not worth a warning."""


class GivenAnswer(Struct, frozen=True):
    """One system's answer; `right` is null if answers are not right or wrong, but near or far."""

    system: int
    text: str
    right: bool | None


class ReportItem(Struct, frozen=True):
    """One item with its gold answer and the systems' answers."""

    id: str
    texts: list[str]
    gold: str | None
    given: list[GivenAnswer]


class TaskItems(Struct, frozen=True):
    """Items of one task, with the sentence that counts them."""

    task: str
    title: str
    language: str
    summary: str
    items: list[ReportItem]


class TaskAnswers:
    """Answers of several systems to one task, on the items that all of them were given."""

    def __init__(self, pairs: Sequence[tuple[int, PairedAnswers]]) -> None:
        self.task: Task = pairs[0][1].task
        shortest = min(len(pair.examples) for _, pair in pairs)
        self.examples: list[Example] = pairs[0][1].examples[:shortest]
        self.outputs: dict[int, list[Any]] = {number: pair.outputs[:shortest] for number, pair in pairs}
        self.answer = KINDS[self.task.kind].answer
        self.golden = all(example.target is not None for example in self.examples)
        self.losses = np.array([self._loss(outputs) for outputs in self.outputs.values()]) if self.golden else None

    def _loss(self, outputs: Sequence[Any]) -> Floats:
        """Return the distance of each answer from gold; a skipped item has no loss."""
        kept = [i for i, output in enumerate(outputs) if output is not None]
        examples = [self.examples[i] for i in kept]
        gold = [gold_answer(self.task, example) for example in examples]
        losses = np.zeros(len(outputs))
        losses[kept] = -item_gains(self.task, examples, [outputs[i] for i in kept], gold)
        return losses

    def item(self, number: int) -> ReportItem:
        example = self.examples[number]
        given = []
        for position, (system, outputs) in enumerate(self.outputs.items()):
            right = None
            if self.losses is not None and not self.answer.by_distance and outputs[number] is not None:
                right = bool(self.losses[position, number] < EPSILON)
            given.append(GivenAnswer(system, answer_text(self.task, example, outputs[number]), right))
        gold = answer_text(self.task, example, example.target) if example.target is not None else None
        return ReportItem(example.id, item_text(self.task, example), gold, given)

    def shown(self, summary: str, numbers: Sequence[int]) -> TaskItems:
        task = self.task
        return TaskItems(task.name, task.title, task.language, summary, [self.item(number) for number in numbers])


@ENORMOUS
def hardest(answers: TaskAnswers) -> TaskItems | None:
    """Return the items that most systems get wrong, worst first; for numbers, those with the largest errors."""
    if answers.losses is None:
        return None
    mean = answers.losses.mean(axis=0)
    wrong = mean > EPSILON if answers.answer.graded else mean > 0.5
    order = [int(i) for i in np.argsort(-mean, kind="stable") if wrong[i]][:MOST]
    if not order:
        return None
    n, systems = len(mean), len(answers.losses)
    if answers.answer.by_distance:
        return answers.shown(f"mean error {mean.mean():.3g}, largest {mean.max():.3g}", order)
    everywhere = int((answers.losses > EPSILON).all(axis=0).sum())
    whom = {1: "wrong", 2: "wrong for both systems"}.get(systems, f"wrong for all {pluralize(systems, 'system')}")
    return answers.shown(f"{everywhere:,} of {pluralize(n, 'item')} {whom}", order)


@ENORMOUS
def disagreements(answers: TaskAnswers) -> TaskItems | None:
    """Return the items on which the systems differ most."""
    if len(answers.outputs) < 2:
        return None
    rows = zip(*answers.outputs.values(), strict=True)
    apart = _spread(answers) if answers.answer.graded or answers.answer.free else np.array([_impurity(row) for row in rows])
    order = [int(i) for i in np.argsort(-apart, kind="stable") if apart[i] > EPSILON][:MOST]
    if not order:
        return None
    if answers.answer.by_distance:
        return answers.shown(f"mean distance {apart.mean():.3g}, largest {apart.max():.3g}", order)
    differ = int((apart > EPSILON).sum())
    return answers.shown(f"{differ:,} of {pluralize(len(apart), 'item')} answered differently", order)


def _spread(answers: TaskAnswers) -> Floats:
    """Return how far apart the answers are: numbers by value, texts and tags by quality."""
    if answers.answer.by_distance:
        numbers = np.array([[np.nan if o is None else float(o) for o in outputs] for outputs in answers.outputs.values()])
        return _apart(numbers)
    if answers.losses is None:
        return np.zeros(len(answers.examples))
    return np.asarray(answers.losses.max(axis=0) - answers.losses.min(axis=0), float)


def _apart(numbers: Floats) -> Floats:
    """Return the difference between the largest and the smallest answer to each item; zero for items without answers.

    >>> _apart(np.array([[1.0, np.nan, np.nan], [3.5, 2.0, np.nan]])).tolist()
    [2.5, 0.0, 0.0]
    """
    known = ~np.isnan(numbers)
    apart = np.where(known, numbers, -np.inf).max(axis=0) - np.where(known, numbers, np.inf).min(axis=0)
    return np.where(known.any(axis=0), apart, 0.0)


def _impurity(outputs: Sequence[Any]) -> float:
    """Return the probability that two randomly drawn systems differ.

    >>> _impurity(["a", "a", "b", "b"]), _impurity(["a", "a"])
    (0.5, 0.0)
    """
    given = [output for output in outputs if output is not None]
    return 1 - sum((count / len(given)) ** 2 for count in Counter(given).values()) if given else 0.0


def task_answers(split: str, systems: Sequence[tuple[int, LoadedSystem]]) -> list[TaskAnswers]:
    """Return the answers to every task; those of baselines and partial runs are omitted if others answered it."""
    found = []
    for task in systems[0][1].suite.tasks:
        pairs = [(number, system, pair) for number, system in systems if (pair := system.pairs.get((task, split))) is not None]
        whole = [(n, pair) for n, system, pair in pairs if not system.card.baseline and not system.card.partial]
        asked = whole or [(n, pair) for n, _, pair in pairs]
        if asked:
            found.append(TaskAnswers(asked))
    return found
