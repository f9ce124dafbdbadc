"""In simulation, 95 % intervals cover the true value 93 to 97 times of 100."""

import numpy as np
import pytest

from gluepot.metrics import METRICS
from gluepot.metrics.nominal import LabelPairs
from gluepot.metrics.sample import value_of
from gluepot.statistics.bootstrap import interval, replicate

pytestmark = pytest.mark.slow
N, DATASETS, RESAMPLES = 300, 1600, 500

# How often each of three labels (rows: gold) is given each answer; one of them is rare.
CELLS = np.array([[0.36, 0.06, 0.03], [0.08, 0.25, 0.04], [0.04, 0.03, 0.11]])
GOLD, PREDICTED = np.divmod(np.arange(9), 3)
R = 0.6


def labels(rng):
    cells = rng.choice(9, size=N, p=CELLS.ravel())
    return GOLD[cells], PREDICTED[cells]


def numbers(rng):
    gold = rng.normal(size=N)
    return gold, R * gold + np.sqrt(1 - R**2) * rng.normal(size=N)


def true_of_labels(name):
    """The metric of the distribution itself: of a sample so large that each cell has its share."""
    sample: LabelPairs = METRICS[name].sample(GOLD, PREDICTED)
    return float(sample.measure(1e12 * CELLS[sample.gold, sample.predicted][np.newaxis])[0])


CASES = {
    "accuracy": (labels, true_of_labels("accuracy")),
    "alpha-nominal": (labels, true_of_labels("alpha-nominal")),
    "mcc": (labels, true_of_labels("mcc")),
    "spearman": (numbers, 6 / np.pi * np.arcsin(R / 2)),  # of the bivariate normal distribution
}


def test_the_true_values_are_those_of_the_distribution():
    assert CASES["accuracy"][1] == pytest.approx(0.72)
    large = np.random.default_rng(0).choice(9, size=400_000, p=CELLS.ravel())
    for name in ("alpha-nominal", "mcc"):
        assert METRICS[name](GOLD[large], PREDICTED[large]) == pytest.approx(CASES[name][1], abs=0.005)


@pytest.mark.parametrize("name", CASES)
def test_the_interval_covers_the_true_value_as_often_as_it_says(name):
    draw, truth = CASES[name]
    rng = np.random.default_rng(2024)
    bounds = np.array([interval(replicate(METRICS[name].sample(*draw(rng)), rng, resamples=RESAMPLES)) for _ in range(DATASETS)])
    covered = (bounds[:, 0] <= truth) & (truth <= bounds[:, 1])
    assert 0.93 <= covered.mean() <= 0.97


def test_the_textbook_interval_over_ten_bootstraps_covers_less_than_half():
    rng, covered = np.random.default_rng(10), []
    for _ in range(DATASETS):
        ten = replicate(METRICS["accuracy"].sample(*labels(rng)), rng, resamples=10)
        covered.append(abs(ten.mean() - CASES["accuracy"][1]) <= 1.96 * ten.std(ddof=1) / np.sqrt(10))
    assert np.mean(covered) == pytest.approx(0.43, abs=0.04)


def test_an_interval_over_items_is_too_narrow_where_whole_groups_stand_or_fall():
    rng, groups = np.random.default_rng(11), [number // 3 for number in range(N)]
    covered = {True: [], False: []}
    for _ in range(300):
        right = np.repeat(rng.random(N // 3) < 0.7, 3).astype(int)
        sample = METRICS["accuracy"].sample(np.ones(N, int), right)
        for grouped, hits in covered.items():
            low, high = interval(replicate(sample, rng, groups if grouped else None, RESAMPLES))
            hits.append(low <= 0.7 <= high)
        assert value_of(sample) == right.mean()
    assert np.mean(covered[True]) > 0.91
    assert np.mean(covered[False]) < 0.8
