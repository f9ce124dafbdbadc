"""Intervals of reported scores: none is surer than its number of items allows, and a share of them has Wilson's, whoever computed it."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from gluepot.metrics import METRICS, Metric
from gluepot.statistics.wilson import wilson_interval

BOOTSTRAP, WILSON, ITERATIONS = "bootstrap", "wilson", "iterations"
"""What an interval is made from: resampled items, the number of items, the spread of repetitions."""


def add_wilson(tasks: Mapping[str, Any], rows: Iterable[Any], *, people: bool = False) -> None:
    """Give reported proportions without an interval Wilson's, where the number of items is told or declared.

    `people` are asked some of the items as a rule, so that a declared number says nothing of theirs.
    """
    for row in rows:
        if row.verified or row.value is None or row.low is not None or row.slice or not 0 <= row.value <= 1:
            continue
        metric, n = METRICS.get(row.metric), row.n if people else _items(row, tasks)
        if metric is not None and metric.proportion and n:
            row.low, row.high = wilson_interval(row.value, n)
            row.n, row.method = n, WILSON


def bound_by_items(tasks: Mapping[str, Any], rows: Iterable[Any]) -> None:
    """Widen the intervals of reported scores to what their items leave open: ten times the same number is not certainty.

    A share's is at least Wilson's. Of other metrics no such interval is known; theirs is at least as wide as Wilson's narrowest, that of a
    share of 0 or 1. Where nobody tells the number of items, an interval without width says nothing and is dropped, and so is one that
    is none. Every interval holds its value.
    """
    for row in rows:
        if row.verified or row.slice or row.value is None or row.low is None or row.high is None:
            continue
        ends, n = sorted((row.low, row.high, row.value)), _items(row, tasks)
        row.low, row.high = ends[0], ends[-1]
        if not all(map(isfinite, ends)) or (not n and row.low == row.high):
            row.low = row.high = None
            row.method = ""
        elif n:
            low, high = _narrowest(row.value, n, METRICS.get(row.metric))
            row.low, row.high = min(row.low, low), max(row.high, high)


def _items(row: Any, tasks: Mapping[str, Any]) -> int | None:
    """How many items a reported score is over: as told, but no more than there are; or all, where none may be left out."""
    size = _declared_size(tasks.get(row.task), row.split)
    return min(row.n, size) if row.n and size else row.n or size


def _narrowest(value: float, n: int, metric: Metric | None) -> tuple[float, float]:
    """The narrowest interval that so many items can give a value."""
    if metric is not None and metric.proportion and 0 <= value <= 1:
        return wilson_interval(value, n)
    half = wilson_interval(0.0, n)[1] / 2
    worst, best = (None, None) if metric is None else (metric.worst, metric.best)
    return (
        value - half if worst is None else min(value, max(worst, value - half)),
        value + half if best is None else max(value, min(best, value + half)),
    )


def name_methods(rows: Iterable[Any]) -> None:
    """Say of scores with an interval what it is made from, where their reader did not."""
    for row in rows:
        if row.low is not None and not row.method:
            row.method = BOOTSTRAP if row.verified else ITERATIONS


def _declared_size(task: Any, split: str) -> int | None:
    """How many items a split has, as a declaration (or its JSON) tells; none where they may be left out."""
    if task is None:
        return None
    if isinstance(task, Mapping):
        data = task["data"]
        skips, counts, rows = task.get("may-skip", False), data.get("counts", "items"), data.get("rows", {})
    else:
        skips, counts, rows = task.may_skip, task.data.counts, task.data.rows
    size = None if skips or counts != "items" else rows.get(split)
    return int(size) if size else None
