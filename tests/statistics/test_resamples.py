"""Shared resamples: equal for every system, independent of batching, and equal to those of `replicate_all`."""

import numpy as np
import pytest

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Means
from gluepot.statistics.bootstrap import generator, replicate_all
from gluepot.statistics.resamples import Resamples

N = 300
RNG = np.random.default_rng(5)
GOLD = RNG.integers(0, 3, N)
GROUPS = [number // 3 for number in range(N)]


def answers(share: float) -> np.ndarray:
    rng = np.random.default_rng(int(100 * share))
    return np.where(rng.random(N) < share, GOLD, rng.integers(0, 3, N))


def samples(share: float) -> list:
    return [METRICS[name].sample(GOLD, answers(share)) for name in ("alpha-nominal", "accuracy", "macro-f1")]


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["items", "groups"])
def test_resamples_equal_the_draws_of_replicate_all(groups):
    one = Resamples(("board", "x", "test"), N, groups).replicate(samples(0.7))
    other = replicate_all(samples(0.7), generator("board", "x", "test", N), groups, shared=True)
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("values", [GOLD / 2, RNG.random(N), np.r_[RNG.random(100), np.zeros(200)]], ids=["few", "every", "many"])
def test_any_number_of_distinct_rows_gives_the_mean_of_each_resample(values):
    resamples = Resamples(("rows",), N)
    drawn = resamples.replicate([Means(values)])[0]
    np.testing.assert_allclose(drawn, resamples.counts @ values / N, rtol=1e-12)


def test_systems_replicated_together_or_separately_share_resamples():
    together = Resamples(("board", "x", "test"), N)
    first, second = together.replicate(samples(0.7)), together.replicate([Means(answers(0.7)[:N] == GOLD)])
    apart = Resamples(("board", "x", "test"), N).replicate(samples(0.7))
    np.testing.assert_array_equal(first[0], apart[0])
    np.testing.assert_allclose(first[1], second[0], err_msg="the accuracy of the same answers is the same on every resample")


def test_left_out_items_have_no_weight_and_others_stay_paired():
    kept = np.flatnonzero(RNG.random(N) < 0.8)
    resamples = Resamples(("board", "x", "test"), N)
    part = resamples.replicate([Means((answers(0.7) == GOLD)[kept])], kept)[0]
    right = (answers(0.7) == GOLD)[kept]
    counts = resamples.counts[:, kept].astype(float)
    np.testing.assert_allclose(part, counts @ right / counts.sum(axis=1))


def test_another_split_or_size_has_other_draws():
    first, other, longer = (Resamples(key, n).counts for key, n in ((("a", "test"), 50), (("a", "dev"), 50), (("a", "test"), 51)))
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, longer[:, :50])
