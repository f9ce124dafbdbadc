"""Spread of one model's scores over all prompts of a task, as an interval of its own."""

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

from msgspec import Struct

from gluepot.records import Task
from gluepot.runs.evaluation import RunScores

T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t for 95 %, by degrees of freedom from 1."""


class PromptSpread(Struct, frozen=True):
    """A task's ranking metric over prompts: an interval for the mean over all possible prompts, and the extremes of those tried."""

    task: str
    metric: str
    mean: float
    low: float
    high: float
    least: float
    most: float
    values: list[float]


def prompt_count(tasks: Iterable[Task]) -> int:
    """Return the number of prompts that all of these tasks have."""
    return min((len(task.prompt.templates) for task in tasks if task.prompt), default=1)


def spread_over(runs: Sequence[RunScores]) -> list[PromptSpread]:
    """Compute the spread of every task for which each run has a value."""
    rows = []
    for first in runs[0].scores:
        if not first.primary or first.slice:
            continue
        same = [
            row.value for run in runs for row in run.scores if (row.task, row.metric, row.slice) == (first.task, first.metric, first.slice)
        ]
        values = [value for value in same if value is not None]
        if len(values) == len(runs) > 1:
            rows.append(interval_of(first.task, first.metric, values))
    return rows


def interval_of(task: str, metric: str, values: list[float]) -> PromptSpread:
    """Compute the mean over prompts, its interval by Student's t, and the extremes.

    >>> spread = interval_of("t", "accuracy", [0.4, 0.5, 0.6, 0.5])
    >>> round(spread.mean, 3), round(spread.low, 3), round(spread.high, 3), spread.least, spread.most
    (0.5, 0.37, 0.63, 0.4, 0.6)
    """
    mean = fmean(values)
    radius = T[min(len(values) - 1, len(T)) - 1] * stdev(values) / len(values) ** 0.5
    return PromptSpread(task, metric, mean, mean - radius, mean + radius, min(values), max(values), values)
