"""Throughput as the slope of time over several numbers of records: what starting and ending take falls out of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from gluepot.efficiency.figures.timings import spread_of
from gluepot.efficiency.run_records import RunRecord
from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import generator, interval

_DRAWS = 2000
CACHED = 0.5
"""Items that are asked again in less than this share of the time of the first asking were not computed again."""


@dataclass(frozen=True)
class Slope:
    """Records a second."""

    value: float
    low: float | None
    high: float | None
    spread: float
    """Of the rounds: the largest as a multiple of the smallest."""
    rounds: int
    streamed: bool
    """Whether it is of the time after the first batch was answered."""


def rounds_of(runs: Sequence[RunRecord], batch: int, last: int | None = None) -> list[list[RunRecord]]:
    """The sound runs with several records by the round in which they were made; only whole rounds, and of them the last ones.

    Round 0 only found out how many records are enough, and warmed the machine's caches.
    """
    loaded = [run for run in runs if run.records > 1 and run.number and run.batch == batch and not run.failure and run.last is not None]
    sizes = {run.records for run in loaded}
    found: dict[int, list[RunRecord]] = {}
    for run in loaded:
        found.setdefault(run.number, []).append(run)
    whole = [found[number] for number in sorted(found) if {run.records for run in found[number]} == sizes]
    return whole[-last:] if last else whole


def slope_of(rounds: Sequence[Sequence[RunRecord]], *key: str) -> Slope | None:
    """The median of the rounds' slopes, with an interval that draws rounds anew."""
    if not rounds or len({run.records for run in rounds[0]}) < 2:
        return None
    streamed = is_streamed([run for one in rounds for run in one])
    rates = np.array([1 / slope if (slope := _slope(one, streamed)) > 0 else np.inf for one in rounds])
    if not np.isfinite(median(rates)):
        return None
    low = high = None
    if len(rates) > 1:
        drawn = np.median(generator("slope", *key).choice(rates, (_DRAWS, len(rates))), axis=1)
        low, high = interval(drawn[np.isfinite(drawn)]) or (None, None)
    spread = spread_of(rates) if np.isfinite(rates).all() else float("inf")
    return Slope(float(median(rates)), low, high, spread, len(rates), streamed)


def is_streamed(runs: Sequence[RunRecord]) -> bool:
    """Whether the first batch was answered before the rest was asked: nothing of the rest can then have been computed before."""
    return all(run.ready is not None and run.ready_answers < run.records for run in runs)


def _slope(runs: Sequence[RunRecord], streamed: bool) -> float:
    """Seconds a record by least squares over one round; after the first batch, if the program answers as it is asked."""
    records: Floats = np.array([run.records - (run.ready_answers if streamed else 0) for run in runs], dtype=float)
    seconds: Floats = np.array([(run.last or 0.0) - ((run.ready or 0.0) if streamed else 0.0) for run in runs])
    return float(np.polyfit(records, seconds, 1)[0])


def answers_again_faster(runs: Sequence[RunRecord], items: int) -> float | None:
    """How many times as fast items were answered when they were asked again; None where that cannot be seen.

    A program that keeps its answers is fast on a split that is asked several times, and nowhere else.
    """
    found = []
    for run in runs:
        curve = [(time, lines) for time, lines in run.arrivals if lines]
        first = [(time, lines) for time, lines in curve if lines <= items]
        later = [(time, lines) for time, lines in curve if lines >= items]
        if len(first) > 3 and len(later) > 3 and run.records >= 2 * items:
            rates = [_rate(part) for part in (first, later)]
            found += [rates[1] / rates[0]] if min(rates) > 0 else []
    return median(found) if found and median(found) > 1 / CACHED else None


def _rate(curve: Sequence[tuple[float, int]]) -> float:
    """Answers a second on a piece of the curve; 0 where it has no length."""
    seconds = curve[-1][0] - curve[0][0]
    return (curve[-1][1] - curve[0][1]) / seconds if seconds > 0 else 0.0
