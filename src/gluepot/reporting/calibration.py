"""Calibration: whether a system that is 80 % confident is right 80 times in 100."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from gluepot.metrics.sample import Floats
from gluepot.records import Prediction, Task
from gluepot.reporting.systems import LoadedSystem
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks import KINDS

BINS = 10
TOLERANCE = 1e-2
"""Maximum distance from one of the sum of an item's probabilities: models print them rounded."""


class Bin(Struct, frozen=True):
    """Answers of similar confidence."""

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


class Reliability(Struct, frozen=True):
    """Calibration of one system on one task: bins of confidence, and the expected calibration error over them."""

    task: str
    title: str
    system: int
    n: int
    error: float
    bins: list[Bin]


def reliabilities(split: str, systems: Sequence[tuple[int, LoadedSystem]]) -> list[Reliability]:
    """Return the calibration of every system on every task for which it gave probabilities."""
    found = []
    for task in systems[0][1].suite.tasks:
        for number, system in systems:
            pair = system.pairs.get((task, split))
            if pair is None or system.folder is None or pair.examples[0].target is None:
                continue
            lines = system.folder.predictions(task, split, system.card.seeds[0])
            given = [line for line in lines if isinstance(line, Prediction)]
            if (curve := _reliability(number, pair, given)) is not None:
                found.append(curve)
    return found


def _reliability(system: int, pair: PairedAnswers, given: Sequence[Prediction]) -> Reliability | None:
    scores = {prediction.id: prediction.scores for prediction in given if prediction.scores}
    sure, right = [], []
    for example, output in zip(pair.examples, pair.outputs, strict=True):
        probabilities = scores.get(example.id)
        if probabilities and output is not None and _is_distribution(probabilities):
            sure.append(_confidence(pair.task, output, probabilities))
            right.append(output in KINDS[pair.task.kind].answer.accepted(example.target))
    if not sure:
        return None
    bins = make_bins(np.array(sure), np.array(right, float))
    return Reliability(pair.task.name, pair.task.title, system, len(sure), calibration_error(bins), bins)


def _is_distribution(scores: Sequence[float]) -> bool:
    return len(scores) > 1 and all(0 <= score <= 1 for score in scores) and abs(sum(scores) - 1) <= TOLERANCE


def _confidence(task: Task, output: Any, scores: Sequence[float]) -> float:
    """Return the probability of the given answer, or the highest one where scores do not belong to answers."""
    place = KINDS[task.kind].answer.position(task, output)
    return scores[place] if place is not None and place < len(scores) else max(scores)


def make_bins(confidence: Floats, right: Floats) -> list[Bin]:
    """Return bins of equal width, without empty ones."""
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    bins = []
    for number in range(BINS):
        inside = place == number
        if inside.any():
            mean, accuracy = float(confidence[inside].mean()), float(right[inside].mean())
            bins.append(Bin(number / BINS, (number + 1) / BINS, int(inside.sum()), mean, accuracy))
    return bins


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean gap between confidence and accuracy, weighted by answers (ECE).

    >>> calibration_error([Bin(0.5, 0.6, 30, 0.5, 0.5), Bin(0.9, 1.0, 10, 1.0, 0.6)])
    0.1
    """
    return sum(b.n * abs(b.accuracy - b.confidence) for b in bins) / sum(b.n for b in bins)
