"""Power of a task's test set: the smallest detectable difference, and trivial baseline scores."""

from dataclasses import dataclass
from itertools import combinations
from math import isnan
from statistics import median

import numpy as np

from gluepot.board.items.loading import KEPT, LRUCache, SplitItems
from gluepot.board.standings.ranking import number_or_none
from gluepot.board.standings.score_matrix import ScoreMatrix
from gluepot.errors import GluepotError
from gluepot.metrics.sample import value_of
from gluepot.records import Task
from gluepot.runs.scores.scoring import make_sample
from gluepot.statistics.power import detectable_accuracy, detectable_difference
from gluepot.tasks import KINDS

DISCORDANT = (0.1, 0.2, 0.3)
"""Proportions of items that exactly one of two systems gets right."""
BEST = 8
"""Number of best systems whose pairs are used to estimate the detectable difference for any other metric."""


@dataclass(frozen=True)
class Detectable:
    """Smallest differences detected on a split with 80 % power."""

    split: str
    n: int
    accuracy: list[float | None]
    """One per value of DISCORDANT; None where even the largest possible difference would be missed."""


def detectable(task: Task) -> list[Detectable]:
    """Return the detectable differences of every split of known size, for tasks with one binary outcome per item."""
    if not KINDS[task.kind].answer.binary:
        return []
    sizes = {split: n for split, n in task.data.rows.items() if split != "train"} if task.data.counts == "items" else {}
    return [Detectable(split, n, [number_or_none(detectable_accuracy(n, share)) for share in DISCORDANT]) for split, n in sizes.items()]


@dataclass(frozen=True)
class DetectableSpread:
    """Smallest detectable difference for the ranking metric, from pairs of systems on this board."""

    metric: str
    pairs: int
    smallest: float
    usual: float
    largest: float


def detectable_by_pairs(field: ScoreMatrix, task: str, metric: str) -> DetectableSpread | None:
    """Estimate the detectable difference from pairs of the best systems with bootstrap replicates; None if there is no such pair."""
    entry = field.entries.get((task, metric))
    if entry is None or field.replicates is None:
        return None
    known = [number for number in np.argsort(-np.nan_to_num(field.values[entry], nan=-np.inf)) if _drawn(field, entry, int(number))]
    drawn = [field.replicates[entry, number].astype(float) for number in known[:BEST]]
    found = [gap for a, b in combinations(drawn, 2) if (gap := detectable_difference(a, b)) > 0]
    return DetectableSpread(metric, len(found), min(found), median(found), max(found)) if found else None


def _drawn(field: ScoreMatrix, entry: int, system: int) -> bool:
    assert field.replicates is not None
    return field.systems[system].ranked and not np.isnan(field.replicates[entry, system, 0])


@dataclass(frozen=True)
class Trivial:
    """A baseline score that ignores the inputs."""

    what: str
    """`constant` or `guess`."""
    answer: str
    scores: dict[str, float]


_trivial = LRUCache(4 * KEPT)


def trivial_scores(items: SplitItems) -> list[Trivial]:
    """Return the scores of the best constant answer and of guessing, cached; empty for answer forms with neither."""
    return _trivial.get(items.key, lambda: _make_trivial(items))


def _make_trivial(items: SplitItems) -> list[Trivial]:
    examples, answer, found = items.examples, items.answer, []
    if (constant := answer.constant([example.target for example in examples])) is not None:
        found.append(Trivial("constant", answer.format_output(examples[0], constant)[0], _scores(items, constant)))
    if (chance := answer.chance(examples)) is not None:
        found.append(Trivial("guess", "", {"accuracy": chance}))
    return found


def _scores(items: SplitItems, answer: object) -> dict[str, float]:
    found = {}
    for metric in items.task.metrics:
        try:
            value = value_of(make_sample(items.task, metric, items.examples, [answer] * len(items.examples)))
        except GluepotError:
            continue
        if not isnan(value):
            found[metric] = value
    return found
