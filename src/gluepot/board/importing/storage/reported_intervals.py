"""Intervals of reported scores: a share of a known number of items has Wilson's, whoever computed it."""

from collections.abc import Iterable, Mapping
from typing import Any

from gluepot.metrics import METRICS
from gluepot.statistics.wilson import wilson_interval

BOOTSTRAP, WILSON, ITERATIONS = "bootstrap", "wilson", "iterations"
"""What an interval is made from: resampled items, the number of items, the spread of repetitions."""


def add_wilson(tasks: Mapping[str, Any], rows: Iterable[Any]) -> None:
    """Give reported proportions without an interval Wilson's, where the number of items is told or declared."""
    for row in rows:
        if row.verified or row.value is None or row.low is not None or row.slice or not 0 <= row.value <= 1:
            continue
        metric, n = METRICS.get(row.metric), row.n or _declared_size(tasks.get(row.task), row.split)
        if metric is not None and metric.proportion and n:
            row.low, row.high = wilson_interval(row.value, n)
            row.n, row.method = n, WILSON


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
