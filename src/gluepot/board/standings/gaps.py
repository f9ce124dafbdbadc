"""Differences between two scores, with intervals at any level from shared resamples or from the interval of each score."""

from dataclasses import dataclass
from math import copysign
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gluepot.board.models import Score
from gluepot.records import Task
from gluepot.runs.comparison.judgement import CERTAIN
from gluepot.statistics.independent import BoundedScore, difference_interval

Floats = NDArray[np.float64]
HIDDEN_DIGITS, ALL_DIGITS = 3, 15
"""Decimals of interval ends for splits with hidden gold, where more would reveal single items, and for all other splits."""


class Gap(Protocol):
    """Difference between two scores."""

    digits: int
    """Number of decimals of its interval that may be published."""

    def interval(self, difference: float, p: float, level: float) -> tuple[float, float]:
        """Return the interval at a corrected level, consistent with the corrected p-value."""


@dataclass
class ResampledGap:
    """Difference known in every resample that the two scores share."""

    draws: Floats
    digits: int = ALL_DIGITS

    def interval(self, difference: float, p: float, level: float) -> tuple[float, float]:
        return corrected_interval(self.draws, difference, p, level)


@dataclass
class IndependentGap:
    """Difference between two scores known only by their intervals."""

    a: BoundedScore
    b: BoundedScore
    digits: int = ALL_DIGITS

    def interval(self, difference: float, p: float, level: float) -> tuple[float, float]:
        low, high = difference_interval(self.a, self.b, level)
        return in_agreement(low, high, difference, p)


def gap_of(task: Task | None, first: Score, second: Score) -> Gap:
    """Return the gap from shared resamples where both scores have them, otherwise from their intervals."""
    digits = HIDDEN_DIGITS if task is not None and first.split in task.data.unlabelled else ALL_DIGITS
    drawn = [np.frombuffer(score.replicates or b"", np.float32).astype(float) for score in (first, second)]
    a, b = bounded(first), bounded(second)
    if a and b and not (len(drawn[0]) and len(drawn[0]) == len(drawn[1])):
        return IndependentGap(a, b, digits)
    return ResampledGap(drawn[0] - drawn[1] if len(drawn[0]) == len(drawn[1]) else np.empty(0), digits)


def bounded(score: Score) -> BoundedScore | None:
    """Return the score with its interval, or None if it has none."""
    if score.value is None or score.low is None or score.high is None:
        return None
    return BoundedScore(score.value, min(score.low, score.value), max(score.high, score.value))


def corrected_interval(gaps: Floats, difference: float, p: float, level: float) -> tuple[float, float]:
    """Return the interval of a difference at a corrected level; the end near zero agrees with the corrected test, whichever is used.

    >>> gaps = np.linspace(0.01, 0.09, 1000)
    >>> [round(end, 3) for end in corrected_interval(gaps, 0.05, 0.2, 0.99)]
    [-0.026, 0.09]
    """
    known = gaps[~np.isnan(gaps)]
    low, high = (float(end) for end in np.quantile(known, [(1 - level) / 2, (1 + level) / 2])) if len(known) else (difference, difference)
    low, high = min(low, difference), max(high, difference)
    return in_agreement(low, high, difference, p)


def in_agreement(low: float, high: float, difference: float, p: float) -> tuple[float, float]:
    """Return the interval with the end near zero moved, if needed, to agree with the corrected test."""
    if (low <= 0 <= high) == (p >= CERTAIN) or not difference:
        return low, high
    sure = max(NormalDist().inv_cdf(1 - min(max(p, 1e-12), 0.9999) / 2), 1e-3)  # distance from zero in standard errors by the test
    near = difference * (1 - NormalDist().inv_cdf(1 - CERTAIN / 2) / min(max(sure, 1.2), 30.0))
    return (near, high) if difference > 0 else (low, near)


def rounded_end(end: float, digits: int) -> float:
    """Round an interval end to the given decimals, keeping it on its side of zero.

    >>> rounded_end(0.00012, 3), rounded_end(-0.00012, 3), rounded_end(0.1234, 3)
    (0.001, -0.001, 0.123)
    """
    rounded = round(end, digits)
    return rounded if rounded or not end else copysign(10.0**-digits, end)
