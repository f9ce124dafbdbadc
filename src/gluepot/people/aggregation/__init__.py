"""Aggregation of several votes on an item into one answer: majority, or models of rater reliability."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.answers import Answer
from gluepot.metrics.sample import Floats
from gluepot.people.aggregation.dawid_skene import dawid_skene
from gluepot.people.aggregation.mace import mace
from gluepot.statistics.agreement import UnitVotes

MODELS: dict[str, Callable[[UnitVotes], Floats]] = {"dawid-skene": dawid_skene, "mace": mace}
METHODS = ("majority", *MODELS)
TIES = ("first", "drop", "share")
"""Resolution of ties: the tied answer that comes first in the file, no answer, or each of them with a share."""
ALIKE = 1e-9
"""Tolerance within which probabilities are considered equal."""


@dataclass(frozen=True)
class Consensus:
    """Answers to each unit with their shares: one answer of share 1, several if a tie is shared, or none if it is dropped."""

    answers: list[list[tuple[Any, float]]]
    tied: NDArray[np.bool_]

    @property
    def ties(self) -> int:
        return int(self.tied.sum())


def aggregate(votes: UnitVotes, answer: Answer | None = None, by: str = "majority", ties: str = "first") -> Consensus:
    """Return one answer per unit according to the answer type: numbers are averaged, tags and sets are decided element by element."""
    if answer is not None and answer.by_distance:
        return _whole(votes, lambda several: fmean(map(float, several)))
    if answer is not None and answer.per_token:
        return _whole(votes, lambda several: tuple(_most(column) for column in zip(*several, strict=False)))
    if answer is not None and answer.per_option:
        return _whole(
            votes, lambda several: frozenset(o for o in set().union(*several) if 2 * sum(o in one for one in several) > len(several))
        )
    weights = votes.counts if by == "majority" else MODELS[by](votes)
    weights = weights if isinstance(weights, np.ndarray) else weights.toarray()
    return choose(votes, weights, ties)


def choose(votes: UnitVotes, weights: Floats, ties: str) -> Consensus:
    """Choose the values with the highest weight; `ties` determines the choice among several."""
    best = weights.max(axis=1, keepdims=True)
    given = votes.sizes > 0
    top = (weights >= best - ALIKE) & given[:, np.newaxis]
    tied = top.sum(axis=1) > 1
    if ties == "first":
        top = _first(votes, top)
    elif ties == "drop":
        top &= ~tied[:, np.newaxis]
    shares = top / np.maximum(top.sum(axis=1, keepdims=True), 1)
    answers: list[list[tuple[Any, float]]] = [[] for _ in range(votes.units)]
    for unit, value in zip(*np.nonzero(shares), strict=True):
        answers[unit].append((votes.values[value], float(shares[unit, value])))
    return Consensus(answers, tied)


def _first(votes: UnitVotes, top: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the values with the highest weight, select the first one voted for on the unit; without votes for any, the first by name."""
    size = len(votes.unit)
    names = np.empty(len(votes.values), int)
    names[sorted(range(len(votes.values)), key=lambda number: str(votes.values[number]))] = np.arange(len(votes.values))
    place = np.broadcast_to(size + names, top.shape).copy()
    np.minimum.at(place, (votes.unit, votes.value), np.arange(size))
    chosen = np.where(top, place, place.max(initial=0) + 1).argmin(axis=1)
    only = np.zeros_like(top)
    only[np.arange(len(top)), chosen] = True
    return only & top


def _whole(votes: UnitVotes, settle: Callable[[Sequence[Any]], Any]) -> Consensus:
    """Compute one answer per unit from all its votes."""
    given: list[list[Any]] = [[] for _ in range(votes.units)]
    for unit, value in zip(votes.unit.tolist(), votes.value.tolist(), strict=True):
        given[unit].append(votes.values[value])
    return Consensus([[(settle(several), 1.0)] if several else [] for several in given], np.zeros(votes.units, bool))


def _most(column: Sequence[Any]) -> Any:
    """Return the most frequent value; ties go to the first."""
    return max(dict.fromkeys(column), key=column.count)
