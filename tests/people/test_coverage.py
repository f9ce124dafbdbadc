"""Simulated coverage of intervals: over items with fixed raters, and over items and raters."""

import numpy as np
import pytest

from gluepot.metrics.sample import Floats
from gluepot.people.aggregation import aggregate
from gluepot.statistics.agreement import UnitVotes
from gluepot.statistics.agreement.alpha import alpha_nominal
from gluepot.statistics.agreement.intervals import leave_raters_out, resample_units, widen
from gluepot.statistics.bootstrap import interval

LABELS = 3
ITEMS, TRIALS, RESAMPLES = 150, 300, 200


def draw(rng: np.random.Generator, skill: Floats, items: int) -> tuple[UnitVotes, Floats]:
    """Draw votes of all raters on all items, right with the probability of their skill, lower on hard items; and the truth."""
    truth = rng.integers(0, LABELS, items)
    hard = rng.random(items) < 0.2
    chance = np.where(hard[:, np.newaxis], 1 / LABELS + (skill - 1 / LABELS) / 2, skill)
    right = rng.random((items, len(skill))) < chance
    said = np.where(right, truth[:, np.newaxis], (truth[:, np.newaxis] + rng.integers(1, LABELS, right.shape)) % LABELS)
    unit, rater = np.indices(said.shape)
    return UnitVotes(unit.ravel(), rater.ravel(), said.ravel(), list(range(LABELS))), truth


def alpha(votes: UnitVotes) -> float:
    return float(alpha_nominal(votes, np.ones((1, votes.units)))[0])


def accuracy(votes: UnitVotes, truth: Floats) -> tuple[float, Floats]:
    right = np.array([answers[0][0] == gold if answers else np.nan for answers, gold in zip(aggregate(votes).answers, truth, strict=True)])
    return float(np.nanmean(right)), right


def skills(rng: np.random.Generator, raters: int) -> Floats:
    """Draw unequal skills, from careless to careful raters."""
    return rng.uniform(0.5, 0.95, raters)


def test_intervals_over_items_cover_with_fixed_raters() -> None:
    rng = np.random.default_rng(11)
    skill = skills(rng, 6)
    true = alpha(draw(rng, skill, 60_000)[0])
    held = 0
    for _ in range(TRIALS):
        votes, _truth = draw(rng, skill, ITEMS)
        low, high = interval(resample_units(alpha_nominal, votes, RESAMPLES)) or (np.nan, np.nan)
        held += low <= true <= high
    assert 0.92 <= held / TRIALS <= 0.96, held / TRIALS


@pytest.mark.parametrize("raters", [5, 20])
def test_intervals_over_items_and_raters_cover_new_panels(raters: int) -> None:
    """For α and the accuracy of the majority; the truth is the mean over many such panels."""
    rng = np.random.default_rng(raters)
    panels = [draw(rng, skills(rng, raters), 300) for _ in range(400)]
    true = np.mean([alpha(votes) for votes, _ in panels]), np.mean([accuracy(votes, truth)[0] for votes, truth in panels[:200]])
    held, narrow = np.zeros(2), 0
    for _ in range(TRIALS // 3):
        votes, truth = draw(rng, skills(rng, raters), ITEMS)
        value = alpha(votes)
        low, high = interval(resample_units(alpha_nominal, votes, RESAMPLES)) or (np.nan, np.nan)
        wide = widen(value, low, high, leave_raters_out(alpha, votes))
        assert wide is not None
        held[0] += wide[0] <= true[0] <= wide[1]
        narrow += low <= true[0] <= high
        mean, right = accuracy(votes, truth)
        reach = 1.96 * right.std() / np.sqrt(ITEMS)
        wide = widen(mean, mean - reach, mean + reach, leave_raters_out(lambda part, gold=truth: accuracy(part, gold)[0], votes))
        assert wide is not None
        held[1] += wide[0] <= true[1] <= wide[1]
    shares = held / (TRIALS // 3)
    assert shares.min() >= 0.85, shares
    assert narrow / (TRIALS // 3) < 0.8, "items alone do not cover other raters"
