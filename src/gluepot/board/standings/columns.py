"""The columns of a table of standings: which tasks have one, by which metric, what counts, and what stands out in them."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gluepot.records import Suite
from gluepot.statistics.rank_intervals import FEW, UNKNOWN, certain_order, may_be_best
from gluepot.statistics.wilson import standard_error

if TYPE_CHECKING:
    from gluepot.board.standings.score_matrix import Field

OVERALL = "overall"
EXACT = 12
"""Decimals kept of a number that ranks: means that are equal on paper shall not differ by the order of summing."""


@dataclass(frozen=True)
class TaskColumn:
    """A task as the table shows it: the metric that ranks, further ones that count, and how sure its numbers can be."""

    name: str
    title: str
    metrics: tuple[str, ...]
    """The first one ranks; the others stand below it."""
    official: bool
    n: int | None
    terms: tuple[int, ...] = ()
    """The terms of the official mean that it belongs to."""
    declared: bool = True
    """Whether it is a task of the suite; otherwise several tasks that were printed as one."""
    counted: tuple[str, ...] = ()
    """The metrics whose mean counts, where that is not the first one alone."""
    skips: bool = False
    """Whether its items may be left out."""
    instead: str = ""
    """The metric that should rank and that nobody has, where another one stands in for it."""


def whole_size(row: Any) -> int:
    """How many items a score is about, answered or not."""
    return round(row.n / row.coverage) if row.coverage else int(row.n or 0)


def make_columns(suite: Suite, rows: list) -> list[TaskColumn]:  # type: ignore[type-arg]
    """The tasks that anybody has a score for, the official ones first; and parts that were only ever printed as one."""
    present = {(row.task, row.metric) for row in rows if row.value is not None}
    sizes: dict[str, int] = {row.task: whole_size(row) for row in rows if row.n}
    entries = [(number, *entry.partition(":")[::2]) for number, term in enumerate(suite.overall.terms) for entry in term]
    columns = []
    for name, task in suite.tasks.items():
        metrics = list(dict.fromkeys([task.metrics[0], *(metric for _, other, metric in entries if other == name and metric)]))
        terms = tuple(dict.fromkeys(number for number, other, _ in entries if other == name))
        other = "" if any((name, metric) in present for metric in metrics) else _stand_in(name, task.metrics, rows)
        if other or any((name, metric) in present for metric in metrics):
            counted = () if other else tuple(metric for _, other, metric in entries if other == name and metric)
            counted = () if counted == (metrics[0],) else counted
            shown, instead = ((other,), metrics[0]) if other else (tuple(metrics), "")
            n = sizes.get(name)
            columns.append(
                TaskColumn(name, task.title, shown, bool(terms), n, terms, counted=counted, skips=task.may_skip, instead=instead)
            )
    printed = sorted({(task, metric) for task, metric in present if task not in suite.tasks and task != OVERALL})
    for name, metric in printed:
        terms = tuple(number for number, term in enumerate(suite.overall.terms) if all(entry.startswith(f"{name}_") for entry in term))
        columns.append(TaskColumn(name, name.upper(), (metric,), bool(terms), sizes.get(name), terms, declared=False))
    return sorted(columns, key=lambda column: not column.official)


def _stand_in(name: str, metrics: list[str], rows: list) -> str:  # type: ignore[type-arg]
    """The declared metric that most scores of a task have, where nobody has the one that ranks; nothing if there is none."""
    counts = Counter(row.metric for row in rows if row.task == name and row.value is not None)
    return max((metric for metric in metrics if counts[metric]), key=lambda metric: (counts[metric], -metrics.index(metric)), default="")


def tied_with_best(field: "Field", column: TaskColumn, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which systems nobody among these is certainly better than, on one task; nobody of whom nothing is known.

    Of many systems only the best are looked at, because whoever is worse than anybody is worse than one of them.
    """
    entry = field.entries[column.name, column.metrics[0]]
    tied = np.zeros(len(field.systems), bool)
    places = np.flatnonzero(among & ~np.isnan(field.values[entry]))
    if not len(places):
        return tied
    values = np.round(field.values[entry, places], EXACT)
    if len(places) > FEW:
        tied[places] = may_be_best(values, field.errors(entry)[places], lambda some: field.replicates_of(entry, places[some]))
        return tied
    errors = standard_error(field.low[entry, places], field.high[entry, places])
    better, _worse, evidence = certain_order(values, field.replicates_of(entry, places), errors=errors)
    tied[places] = (better == 0) & np.array([known != UNKNOWN for known in evidence])
    return tied


def best_computed(field: "Field", column: TaskColumn, among: NDArray[np.bool_]) -> float | None:
    """The best value of a task that was computed here; what a search hides, and what is on another page, counts too."""
    entry = field.entries[column.name, column.metrics[0]]
    values = field.values[entry, among & field.verified[entry] & ~np.isnan(field.values[entry])]
    return float(np.max(values)) if len(values) else None
