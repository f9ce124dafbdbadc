"""Coverage of scores over some of the items: the ranking value, the value over the answered items, and their number."""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import UNSET

from gluepot import records
from gluepot.board.models import Score
from gluepot.records import Suite
from gluepot.runs.scores.coverage import unranked_reason

UNKNOWN = "how many items it is over is not told, and this task lets answers out"


def add_coverage(row: Score, scores: Sequence[records.Score]) -> None:
    """Add the coverage of all seeds to a row, whose value so far is over the answered items."""
    unranked = [str(score.unranked) for score in scores if score.unranked]
    if unranked:
        row.ranked, row.reason = False, unranked[0]
    shares = [score.coverage for score in scores if score.coverage is not UNSET]
    if len(shares) < len(scores) or row.value is None:
        return
    row.coverage = float(np.mean(shares))
    if not unranked and any(score.all_items for score in scores):
        whole = [score.all_items or records.AllItems(score.value, score.low, score.high) for score in scores if score.value is not None]
        row.answered, row.value = row.value, float(np.mean([one.value for one in whole]))
        row.low, row.high = (mean_of([getattr(one, end) for one in whole]) for end in ("low", "high"))


def mean_of(values: Sequence[float | None]) -> float | None:
    """Return the mean over seeds, or None if one of them has no value."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def set_reported_coverage(suite: Suite, rows: Iterable[Score]) -> None:
    """Set the coverage of reported scores on tasks with skippable items; they rank if it is known and at least the declared one."""
    for row in rows:
        task = suite.tasks.get(row.task)
        if row.verified or row.value is None or row.slice or task is None or not task.may_skip:
            continue
        items = task.data.rows.get(row.split)
        if not row.n or not items:
            row.ranked, row.reason = False, row.reason or UNKNOWN
            continue
        row.n = min(row.n, items)
        row.coverage = row.n / items
        unranked = unranked_reason(task, row.n, items)
        if unranked:
            row.ranked, row.reason = False, str(unranked)
