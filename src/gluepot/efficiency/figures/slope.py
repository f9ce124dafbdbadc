"""Throughput as the slope of time over several numbers of records, which excludes the time of start-up and shutdown."""

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
"""Repeated items that take less than this share of the time of their first occurrence are cached."""


@dataclass(frozen=True)
class Slope:
    """Throughput in records per second."""

    value: float
    low: float | None
    high: float | None
    spread: float
    """Largest rate of the rounds as a multiple of the smallest."""
    rounds: int
    streamed: bool
    """Whether it covers only the time after the first batch was answered."""


def group_by_round(runs: Sequence[RunRecord], batch: int, last: int | None = None) -> list[list[RunRecord]]:
    """Group the valid runs with several records by round; return only complete rounds, and of these the `last` ones.

    Round 0 only determines how many records are enough, and warms the machine's caches.
    """
    loaded = [run for run in runs if run.records > 1 and run.number and run.batch == batch and not run.failure and run.last is not None]
    sizes = {run.records for run in loaded}
    found: dict[int, list[RunRecord]] = {}
    for run in loaded:
        found.setdefault(run.number, []).append(run)
    whole = [found[number] for number in sorted(found) if {run.records for run in found[number]} == sizes]
    return whole[-last:] if last else whole


def estimate_slope(rounds: Sequence[Sequence[RunRecord]], *key: str) -> Slope | None:
    """Return the median of the rounds' slopes, with an interval from resampling rounds, or None."""
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
    """Return whether the first batch was answered before the rest was sent, so that nothing of the rest was computed before."""
    return all(run.ready is not None and run.ready_answers < run.records for run in runs)


def _slope(runs: Sequence[RunRecord], streamed: bool) -> float:
    """Return seconds per record by least squares over one round; after the first batch, if the program streams its answers."""
    records: Floats = np.array([run.records - (run.ready_answers if streamed else 0) for run in runs], dtype=float)
    seconds: Floats = np.array([(run.last or 0.0) - ((run.ready or 0.0) if streamed else 0.0) for run in runs])
    return float(np.polyfit(records, seconds, 1)[0])


def repeat_speedup(runs: Sequence[RunRecord], items: int) -> float | None:
    """Return the speed-up of repeated items; None if there is no clear one or it cannot be measured.

    A program that caches its answers is fast on a repeated split, and nowhere else.
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
    """Return answers per second on a segment of the curve; 0 if it has no duration."""
    seconds = curve[-1][0] - curve[0][0]
    return (curve[-1][1] - curve[0][1]) / seconds if seconds > 0 else 0.0
