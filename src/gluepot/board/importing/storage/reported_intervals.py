"""Intervals of reported scores: at least as wide as the number of items requires, and Wilson's for proportions without one."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from gluepot.metrics import METRICS, Metric
from gluepot.statistics.wilson import wilson_interval

BOOTSTRAP, WILSON, ITERATIONS = "bootstrap", "wilson", "iterations"
"""Basis of an interval: resampled items, the number of items, the spread of repetitions."""


def add_wilson(tasks: Mapping[str, Any], rows: Iterable[Any], *, people: bool = False) -> None:
    """Add Wilson intervals to reported proportions without one, where the number of items is reported or declared.

    `people` usually answer only some of the items, so the declared number does not apply to their scores.
    """
    for row in rows:
        if row.verified or row.value is None or row.low is not None or row.slice or not 0 <= row.value <= 1:
            continue
        metric, n = METRICS.get(row.metric), row.n if people else _items(row, tasks)
        if metric is not None and metric.proportion and n:
            row.low, row.high = wilson_interval(row.value, n)
            row.n, row.method = n, WILSON


def bound_by_items(tasks: Mapping[str, Any], rows: Iterable[Any]) -> None:
    """Widen the intervals of reported scores to the uncertainty of their items: ten times the same number is not certainty.

    The interval of a proportion is at least Wilson's. For other metrics no such interval is known; theirs is at least as wide as the
    narrowest Wilson interval, that of a proportion of 0 or 1. Where the number of items is unknown, a zero-width interval carries no
    information and is dropped, as is an interval with non-finite ends. Every interval contains its value.
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
    """Return the number of items of a reported score: as reported, capped at the split's size; or that size, where none may be skipped."""
    size = _declared_size(tasks.get(row.task), row.split)
    return min(row.n, size) if row.n and size else row.n or size


def _narrowest(value: float, n: int, metric: Metric | None) -> tuple[float, float]:
    """Return the narrowest interval that this number of items allows for a value."""
    if metric is not None and metric.proportion and 0 <= value <= 1:
        return wilson_interval(value, n)
    half = wilson_interval(0.0, n)[1] / 2
    worst, best = (None, None) if metric is None else (metric.worst, metric.best)
    return (
        value - half if worst is None else min(value, max(worst, value - half)),
        value + half if best is None else max(value, min(best, value + half)),
    )


def name_methods(rows: Iterable[Any]) -> None:
    """Set the method of scores with an interval where their reader did not."""
    for row in rows:
        if row.low is not None and not row.method:
            row.method = BOOTSTRAP if row.verified else ITERATIONS


def _declared_size(task: Any, split: str) -> int | None:
    """Return the number of items of a split from a task declaration or its JSON; None where items may be skipped."""
    if task is None:
        return None
    if isinstance(task, Mapping):
        data = task["data"]
        skips, counts, rows = task.get("may-skip", False), data.get("counts", "items"), data.get("rows", {})
    else:
        skips, counts, rows = task.may_skip, task.data.counts, task.data.rows
    size = None if skips or counts != "items" else rows.get(split)
    return int(size) if size else None
