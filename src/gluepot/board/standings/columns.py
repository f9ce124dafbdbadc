"""Columns of a standings table: the tasks shown, their metrics, what counts towards the overall number, and what is highlighted."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gluepot.records import Suite
from gluepot.statistics.rank_intervals import FEW, UNKNOWN, may_be_best, significant_order
from gluepot.statistics.wilson import standard_error

if TYPE_CHECKING:
    from gluepot.board.standings.score_matrix import ScoreMatrix

OVERALL = "overall"
EXACT = 12
"""Decimals to which ranking values are rounded, so that mathematically equal means do not differ by summation order."""


@dataclass(frozen=True)
class TaskColumn:
    """Table column of a task: its ranking metric, further metrics that count, and its number of items."""

    name: str
    title: str
    metrics: tuple[str, ...]
    """The first one ranks; the others are shown below it."""
    official: bool
    n: int | None
    terms: tuple[int, ...] = ()
    """Indices of the official mean's terms that it belongs to."""
    declared: bool = True
    """Whether the suite declares the task; otherwise it is several tasks published as one."""
    counted: tuple[str, ...] = ()
    """Metrics whose mean counts, unless only the first one does."""
    skips: bool = False
    """Whether items may be skipped."""
    instead: str = ""
    """Metric that should rank but has no scores, where another one stands in for it."""


def whole_size(row: Any) -> int:
    """Return the number of items that a score covers, answered or not."""
    return round(row.n / row.coverage) if row.coverage else int(row.n or 0)


def make_columns(suite: Suite, rows: list) -> list[TaskColumn]:  # type: ignore[type-arg]
    """Return the columns of all tasks with scores, official ones first, including task groups published only as one."""
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
    """Return the declared metric with the most scores, for a task without scores of its ranking metric; empty if there is none."""
    counts = Counter(row.metric for row in rows if row.task == name and row.value is not None)
    return max((metric for metric in metrics if counts[metric]), key=lambda metric: (counts[metric], -metrics.index(metric)), default="")


def tied_with_best(field: "ScoreMatrix", column: TaskColumn, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the systems that none among `among` significantly outperforms on one task; without evidence, False.

    With more than FEW systems only comparisons with the best are made: a system worse than any other is worse than one of these.
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
    better, _worse, evidence = significant_order(values, field.replicates_of(entry, places), errors=errors)
    tied[places] = (better == 0) & np.array([known != UNKNOWN for known in evidence])
    return tied


def best_computed(field: "ScoreMatrix", column: TaskColumn, among: NDArray[np.bool_]) -> float | None:
    """Return the best computed value of a task, including systems hidden by a search or on other pages."""
    entry = field.entries[column.name, column.metrics[0]]
    values = field.values[entry, among & field.verified[entry] & ~np.isnan(field.values[entry])]
    return float(np.max(values)) if len(values) else None
