"""Bootstrap: agreement of the four drawing methods, groups, reproducible keys, undefined values."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Means
from gluepot.statistics import bootstrap
from gluepot.statistics.bootstrap import generator, interval, replicate, replicate_all

N, RESAMPLES = 240, 10_000
VALUES = np.random.default_rng(1).choice([0.0, 0.5, 1.0], size=N, p=[0.3, 0.2, 0.5])
JITTER = 1e-9 * np.arange(N)

DRAWS = {
    "multinomial: few distinct rows": (Means(VALUES), None),
    "items: some distinct rows": (Means(VALUES + JITTER.round(8)), None),
    "items: every row distinct": (Means(VALUES + JITTER), None),
    "groups of one item": (Means(VALUES), range(N)),
}


def test_the_samples_exercise_every_drawing_method():
    few, some, every, _ = (np.count_nonzero(sample.counts) for sample, _ in DRAWS.values())
    assert 20 * few < N < 20 * some < 20 * every == 20 * N


@pytest.mark.parametrize("draw", DRAWS)
def test_every_drawing_method_has_the_theoretical_mean_and_spread(draw):
    sample, groups = DRAWS[draw]
    values = replicate(sample, generator(draw), groups, RESAMPLES)
    error = VALUES.std() / np.sqrt(N)
    assert values.mean() == pytest.approx(VALUES.mean(), abs=4 * error / np.sqrt(RESAMPLES))
    assert values.std() == pytest.approx(error, rel=4 / np.sqrt(2 * RESAMPLES))


def test_metrics_other_than_means_are_drawn_alike_by_cells_and_by_items():
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, size=N)
    predicted = np.where(rng.random(N) < 0.6, gold, rng.integers(0, 3, size=N))
    sample = METRICS["alpha-nominal"].sample(gold, predicted)
    by_cell, by_item = (replicate(sample, generator("paths"), groups, RESAMPLES) for groups in (None, range(N)))
    assert by_cell.mean() == pytest.approx(by_item.mean(), abs=6 * by_item.std() / np.sqrt(RESAMPLES))
    assert by_cell.std() == pytest.approx(by_item.std(), rel=6 / np.sqrt(2 * RESAMPLES))


def test_groups_of_equal_items_count_as_one_item_each():
    values = np.repeat(VALUES[:80], 3)
    items, groups = Means(values), [number // 3 for number in range(240)]
    wide, narrow = replicate(items, generator(1), groups, 4000), replicate(items, generator(1), None, 4000)
    assert wide.std() / narrow.std() == pytest.approx(np.sqrt(3), rel=0.06)


def test_groups_of_different_size_are_drawn_whole():
    values = replicate(Means([0.0, 1.0, 1.0, 1.0]), generator(3), ["a", "b", "b", "b"], 2000)
    shares = {value: float((values == value).mean()) for value in np.unique(values)}
    assert shares == pytest.approx({0.0: 0.25, 0.75: 0.5, 1.0: 0.25}, abs=0.04)


def test_groups_are_not_drawn_for_a_metric_whose_unit_is_the_group():
    groups = [number // 3 for number in range(90)]
    sample = METRICS["gender-parity"].sample(["n"] * 90, ["n", "e", "n"] * 10 + ["n"] * 60, groups=groups)
    values = replicate(sample, generator(4), groups, 4000)
    assert values.std() == pytest.approx(np.sqrt(2 / 9 / 30), rel=0.06)


def test_the_same_key_draws_the_same():
    sample = Means(VALUES)
    first, again, other = (replicate(sample, generator(*key)) for key in [("swenli", "test"), ("swenli", "test"), ("swenli", "dev")])
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_a_key_draws_the_same_in_every_process():
    code = "from gluepot.statistics.bootstrap import generator; print(generator('swenli', None, 3).random())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert float(printed.stdout) == generator("swenli", None, 3).random()


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("cells", [1, 7 * N, 10**9])
def test_blocks_change_neither_the_number_nor_the_spread_of_values(monkeypatch, draw, cells):
    monkeypatch.setattr(bootstrap, "_CELLS", cells)
    sample, groups = DRAWS[draw]
    values = replicate(sample, generator("blocks"), groups, 1003)
    assert values.shape == (1003,)
    assert values.std() == pytest.approx(VALUES.std() / np.sqrt(N), rel=0.1)


def test_a_large_sample_gives_as_many_values_as_a_small_one():
    numbers = np.arange(30_000.0)
    assert replicate(METRICS["pearson"].sample(numbers, numbers % 7), generator(5), resamples=50).shape == (50,)


def test_metrics_of_the_same_numbers_share_their_draws():
    rng = np.random.default_rng(6)
    gold = rng.normal(size=100)
    predicted = gold + rng.normal(size=100)
    samples = [METRICS[name].sample(gold, predicted) for name in ("spearman", "pearson", "pearson")]
    spearman, pearson, again = replicate_all(samples, generator(6), resamples=200)
    assert pearson.tolist() == again.tolist()
    assert np.corrcoef(spearman, pearson)[0, 1] > 0.8


def test_metrics_that_count_different_units_do_not_share_their_draws():
    labels = METRICS["accuracy"].sample(["a", "b", "c"], ["b", "c", "d"])
    groups = METRICS["gender-parity"].sample(["a", "b", "c"], ["n", "n", "n"], groups=["t"] * 3)
    accuracy, parity = replicate_all([labels, groups], generator(7), resamples=20)
    assert accuracy.tolist() == [0.0] * 20
    assert parity.tolist() == [1.0] * 20


def test_the_interval_excludes_the_same_share_on_either_side():
    values = np.random.default_rng(8).permutation(np.arange(1001.0))
    assert interval(values) == pytest.approx((25, 975))
    assert interval(values, level=0.5) == pytest.approx((250, 750))


def test_undefined_resamples_are_left_out_of_the_interval():
    values = np.r_[np.arange(1001.0), np.full(1001, np.nan)]
    assert interval(values) == pytest.approx((25, 975))


@pytest.mark.parametrize("values", [[np.nan, np.nan, 1.0], [np.nan], []])
def test_there_is_no_interval_where_most_resamples_are_undefined(values):
    assert interval(np.array(values)) is None


def test_a_correlation_of_few_items_is_undefined_on_some_resamples():
    values = replicate(METRICS["spearman"].sample([1, 2, 3], [1, 3, 2]), generator(9), resamples=900)
    assert np.isnan(values).mean() == pytest.approx(1 / 9, abs=0.04)  # one item drawn three times
