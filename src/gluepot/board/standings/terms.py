"""Terms of the overall number: those of the suite, or the tasks chosen by the visitor with their weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.board.standings.columns import TaskColumn
from gluepot.board.standings.score_matrix import ScoreMatrix
from gluepot.board.standings.state import State

Floats = NDArray[Any]


@dataclass(frozen=True)
class Term:
    """Summand of the overall number: the weighted mean of its parts, or a stand-in where only that was published."""

    weight: float
    parts: tuple[tuple[int, float], ...]
    """Entry indices in the field's arrays, with weights that sum to one."""
    stand_in: int | None = None

    def of(self, array: Floats) -> Floats:
        """Return the term for every system, from an array whose first axis is the field's entries."""
        together: Floats = sum(share * array[entry] for entry, share in self.parts) if self.parts else np.full_like(array[0], np.nan)
        return together if self.stand_in is None else np.where(np.isnan(together), array[self.stand_in], together)


def chosen_columns(field: ScoreMatrix, state: State) -> list[TaskColumn]:
    """Return the tasks of the overall number: the only one that ranks, else the chosen ones with scores, else the official ones."""
    if only := [column for column in field.columns if column.name == state.only]:
        return only
    chosen = [column for column in field.columns if column.name in state.tasks]
    return chosen or [column for column in field.columns if column.official] or field.columns


def make_terms(field: ScoreMatrix, state: State) -> list[Term]:
    """Return the terms, grouping chosen tasks by official term; other tasks are terms of their own, and all-zero weights are ignored."""
    weights = dict(state.weights)
    if not any(weights.get(column.name, 1.0) for column in chosen_columns(field, state)):
        weights = {}
    groups: dict[object, list[TaskColumn]] = {}
    for column in chosen_columns(field, state):
        groups.setdefault(column.terms[0] if column.terms else column.name, []).append(column)
    terms = (_term(field, columns, weights) for columns in groups.values())
    return [term for term in terms if term.weight > 0]


def _term(field: ScoreMatrix, columns: list[TaskColumn], weights: dict[str, float]) -> Term:
    declared = [column for column in columns if column.name in field.suite.tasks]
    printed = [column for column in columns if column.name not in field.suite.tasks]
    whole = sum(weights.get(column.name, 1.0) for column in declared)
    parts = []
    for column in declared:
        counted = column.counted or column.metrics[:1]
        share = weights.get(column.name, 1.0) / whole if whole else 0.0
        parts += [(field.entries[column.name, metric], share / len(counted)) for metric in counted]
    weight = whole / len(declared) if declared else weights.get(printed[0].name, 1.0)
    return Term(weight, tuple(parts), field.entries[printed[0].name, printed[0].metrics[0]] if printed else None)
