"""Paired comparisons: McNemar's test, bootstrap differences, and correction for multiple comparisons."""

import numpy as np
import pytest

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Means
from gluepot.statistics.bootstrap import generator
from gluepot.statistics.paired import compare, compare_right_wrong, holm, mcnemar, paired_replicates

accuracy = METRICS["accuracy"]


def answers(rng, gold, share):
    return np.where(rng.random(len(gold)) < share, gold, (gold + 1) % 3)


def test_mcnemar_by_hand():
    assert mcnemar(1, 5) == pytest.approx(2 * (1 + 6) / 64)
    assert mcnemar(0, 3) == pytest.approx(2 / 8)


@pytest.mark.parametrize("n", [0, 1, 2, 10])
def test_mcnemar_is_one_for_equal_counts(n):
    assert mcnemar(n, n) == 1.0


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (7, 3), (3, 7), (31, 12), (1200, 1100), (40_000, 40_700)])
def test_mcnemar_equals_scipys_binomial_test(better, worse):
    stats = pytest.importorskip("scipy.stats")
    assert mcnemar(better, worse) == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=1e-8)


def test_mcnemar_counts_only_discordant_items():
    a, b = [True] * 10 + [True, True, True, False], [True] * 10 + [False, False, False, True]
    assert compare_right_wrong(a, b) == mcnemar(3, 1)


def test_comparison_finds_a_true_difference():
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, size=400)
    good, bad = (accuracy.sample(gold, answers(rng, gold, share)) for share in (0.8, 0.6))
    found = compare(good, bad, generator("true"))
    assert found.p < 0.01
    assert 0 < found.low < found.difference < found.high
    assert found.difference == pytest.approx(0.2, abs=0.08)


def test_comparison_is_antisymmetric():
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, size=200)
    a, b = (accuracy.sample(gold, answers(rng, gold, share)) for share in (0.7, 0.6))
    forth, back = compare(a, b, generator(2)), compare(b, a, generator(2))
    assert (back.difference, back.low, back.high, back.p) == pytest.approx((-forth.difference, -forth.high, -forth.low, forth.p))


def test_comparison_of_equal_predictions_finds_nothing():
    sample = accuracy.sample(["a", "b", "c"] * 20, ["a", "b", "b"] * 20)
    assert compare(sample, sample, generator(3)).p == 1.0
    assert compare(sample, sample, generator(3)).difference == 0.0


def test_comparison_finds_a_false_difference_in_one_of_twenty():
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, size=300)
    pairs = [[accuracy.sample(gold, answers(rng, gold, 0.7)) for _ in "ab"] for _ in range(400)]
    found = [compare(a, b, rng, resamples=400) for a, b in pairs]
    assert 0.02 < np.mean([f.p < 0.05 for f in found]) < 0.08  # ± 3 standard errors
    assert 0.92 < np.mean([f.low <= 0 <= f.high for f in found]) < 0.98


def test_comparison_of_an_undefined_metric_has_no_interval_and_p_one():
    constant, other = METRICS["spearman"].sample([1, 2, 3], [5, 5, 5]), METRICS["spearman"].sample([1, 2, 3], [1, 3, 2])
    found = compare(constant, other, generator(5))
    assert np.isnan([found.difference, found.low, found.high]).all()
    assert found.p == 1.0


def test_systems_are_measured_on_the_same_resamples():
    values = np.random.default_rng(6).random(50)
    a, a_again, shifted = paired_replicates([Means(values), Means(values), Means(1 - values)], generator(6), resamples=300)
    assert a.tolist() == a_again.tolist()
    np.testing.assert_allclose(a, 1 - shifted)


def test_pairing_narrows_the_difference_of_correlated_systems():
    rng = np.random.default_rng(7)
    hard = rng.random(300)
    a, b = Means(hard), Means(hard + rng.normal(0, 0.05, size=300))
    paired = np.subtract(*paired_replicates([a, b], generator(7)))
    unpaired = paired_replicates([a], generator(8))[0] - paired_replicates([b], generator(9))[0]
    assert 4 * paired.std() < unpaired.std()


def test_groups_are_drawn_whole():
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0], 40)
    groups = [number // 40 for number in range(200)]
    wide, narrow = (paired_replicates([Means(values)], generator(10), g)[0] for g in (groups, None))
    assert set(np.round(wide * 5, 9)) <= {0, 1, 2, 3, 4, 5}
    assert wide.std() / narrow.std() == pytest.approx(np.sqrt(40), rel=0.15)


def test_large_samples_are_drawn_in_blocks():
    assert paired_replicates([Means(np.arange(150_000) % 2)], generator(11), resamples=30).shape == (1, 30)


def test_predictions_of_different_items_are_refused():
    with pytest.raises(ValueError, match="do not cover the same items"):
        paired_replicates([Means([0.0, 1.0]), Means([0.0, 1.0, 1.0])], generator(12))


def test_holm_by_hand():
    # Sorted 0.005·4, 0.01·3, 0.03·2, 0.04·1, none below the previous one.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_one_and_leaves_a_single_comparison_unchanged():
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([0.04]) == [0.04]
    assert holm([]) == []
