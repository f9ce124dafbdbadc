"""Human answers scored by a task's metrics, with a confidence interval over items and a wider one over items and raters."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from gluepot.metrics import METRICS, Unavailable
from gluepot.metrics.sample import Floats, GroupedSums, Ints, PseudoCount, Sample, Unseen, value_of
from gluepot.people.aggregation import Consensus, aggregate
from gluepot.people.joining import JoinedVotes
from gluepot.records import Example, Task
from gluepot.statistics.agreement.intervals import leave_raters_out, widen
from gluepot.statistics.agreement.units import UnitVotes
from gluepot.statistics.bootstrap import RESAMPLES, generator
from gluepot.statistics.score_intervals import score_interval
from gluepot.tasks import KINDS
from gluepot.tasks.judging import make_sample

Rows = list[tuple[Example, Any, float, int]]
"""Answer to a row of the task, with its share and the index of the item."""


class HumanScore(Struct, frozen=True):
    """Value of one metric of the human answers."""

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    low_raters: float | None = None
    high_raters: float | None = None
    n: int = 0
    primary: bool = False
    reason: str | UnsetType = UNSET


def score_people(
    joined: JoinedVotes,
    items: Sequence[str],
    votes: UnitVotes,
    consensus: Consensus,
    *,
    by: str = "majority",
    ties: str = "first",
    resamples: int = RESAMPLES,
) -> list[HumanScore]:
    """Return every metric of the task over the matched items; the value is None with a reason if their answers are not published."""
    task, answer = joined.task, KINDS[joined.task.kind].answer
    examples = [joined.examples.get(item) for item in items]
    rows = _rows(examples, consensus)
    if not rows:
        withheld = any(example is not None for example in examples)
        why = f"the answers to {task.name} {joined.split} are not published" if withheld else "no item has an answer to compare with"
        return [HumanScore(metric, None, n=0, primary=metric == task.metrics[0], reason=why) for metric in task.metrics]
    scores = [_score(task, metric, rows, joined.split, resamples) for metric in task.metrics]
    known = [score.metric for score in scores if score.value is not None]
    part = _part(votes, {item for *_, item in rows})

    def values(some: UnitVotes) -> list[float]:
        left = _rows(examples, aggregate(some, answer, by, ties))
        return [_value(task, metric, left) for metric in known]

    without = np.array([*_each(values, part)]).reshape(-1, len(known))
    return [_widened(score, without[:, known.index(score.metric)] if score.metric in known else np.empty(0)) for score in scores]


def _each(values: Callable[[UnitVotes], list[float]], votes: UnitVotes) -> list[list[float]]:
    found: list[list[float]] = []

    def remember(some: UnitVotes) -> float:
        found.append(values(some))
        return 0.0

    leave_raters_out(remember, votes)
    return found


def _part(votes: UnitVotes, units: set[int]) -> UnitVotes:
    return votes.subset(np.isin(votes.unit, list(units)))


def _widened(score: HumanScore, without: Floats) -> HumanScore:
    from msgspec.structs import replace

    if score.value is None or score.low is None or score.high is None:
        return score
    wide = widen(score.value, score.low, score.high, without)
    best, worst = METRICS[score.metric].best, METRICS[score.metric].worst
    if wide is None:
        return score
    low = wide[0] if worst is None else max(wide[0], worst)
    return replace(score, low_raters=low, high_raters=min(wide[1], best))


def _rows(examples: Sequence[Example | None], consensus: Consensus) -> Rows:
    """Return answers to rows whose gold answer is known."""
    return [
        (example, value, share, number)
        for number, (example, answers) in enumerate(zip(examples, consensus.answers, strict=True))
        if example is not None and example.target is not None
        for value, share in answers
    ]


def _sample(task: Task, metric: str, rows: Rows) -> Sample:
    sample = make_sample(task, metric, [row[0] for row in rows], [row[1] for row in rows])
    if all(row[2] == 1 for row in rows) or len(sample.inverse) != len(rows):
        return sample
    return SharedAnswers(sample, np.array([row[2] for row in rows]), np.array([row[3] for row in rows]))


def _value(task: Task, metric: str, rows: Rows) -> float:
    return value_of(_sample(task, metric, rows)) if rows else float("nan")


def _score(task: Task, metric: str, rows: Rows, split: str, resamples: int) -> HumanScore:
    items = list(dict.fromkeys(row[3] for row in rows))
    first = metric == task.metrics[0]
    try:
        sample = _sample(task, metric, rows)
    except Unavailable as error:
        return HumanScore(metric, None, n=len(items), primary=first, reason=str(error))
    value = value_of(sample)
    if isnan(value):
        why = METRICS[metric].why_undefined([row[0].target for row in rows], [row[1] for row in rows])
        return HumanScore(metric, None, n=len(items), primary=first, reason=why)
    group = {row[3]: row[0].group for row in rows}
    groups = None if any(name is None for name in group.values()) else list(group.values())
    ends = score_interval(sample, generator("people", task.path, split, metric), groups, resamples)
    low, high = ends or (None, None)
    return HumanScore(metric, value, low, high, n=len(items), primary=first)


class SharedAnswers(Sample):
    """Sample in which an item may have several answers, each with a share: answers are weighted by their shares in the metric."""

    def __init__(self, inner: Sample, shares: Floats, items: Ints) -> None:
        self.inner, self.shares = inner, shares
        _, self.items = np.unique(items, return_inverse=True)
        size = int(self.items.max()) + 1
        possible = np.zeros(len(inner.counts))
        self.counts, self.inverse = np.concatenate([np.ones(size), possible]), np.arange(size)
        self.sums = GroupedSums(inner.inverse, len(inner.counts))

    def unseen(self) -> Unseen | None:
        """Return the metric's own pseudo-counts, shifted behind the items."""
        found = self.inner.unseen()
        if found is None:
            return None
        size = len(self.inverse)
        return Unseen(*([PseudoCount(one.rows + size, one.mass) for one in side] for side in found))

    def _measure(self, weights: Floats) -> Floats:
        size = len(self.inverse)
        rows = self.sums(weights[:, self.items] * self.shares) + weights[:, size:]
        return self.inner.measure(rows)
