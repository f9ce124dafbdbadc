"""Rank intervals: clear orders, ties, and coverage of the true rank."""

import numpy as np
import pytest

from gluepot.statistics.rank_intervals import Rank, rank_systems


def replicates(values, noise, seed=0, resamples=1000):
    return np.asarray(values)[:, np.newaxis] + np.random.default_rng(seed).normal(0, noise, (len(values), resamples))


def test_a_clear_order_has_exact_ranks():
    values = np.array([0.5, 0.9, 0.7])
    assert rank_systems(values, replicates(values, 0.01)) == [
        Rank(3, 3, 3, "resamples"),
        Rank(1, 1, 1, "resamples"),
        Rank(2, 2, 2, "resamples"),
    ]


def test_indistinguishable_systems_share_their_rank_interval():
    values = np.array([0.71, 0.70, 0.69, 0.2])
    assert rank_systems(values, replicates(values, 0.05)) == [
        Rank(1, 1, 3, "resamples"),
        Rank(2, 1, 3, "resamples"),
        Rank(3, 1, 3, "resamples"),
        Rank(4, 4, 4, "resamples"),
    ]


def test_equal_predictions_have_equal_ranks():
    one = replicates([0.7], 0.02)
    assert rank_systems(np.array([0.7, 0.7, 0.1]), np.vstack([one, one, one - 0.6])) == [
        Rank(1, 1, 2, "resamples"),
        Rank(1, 1, 2, "resamples"),
        Rank(3, 3, 3, "resamples"),
    ]


def test_shared_noise_does_not_widen_rank_intervals():
    values = np.array([0.70, 0.69])
    shared = np.random.default_rng(3).normal(0, 0.1, 1000)
    assert rank_systems(values, values[:, np.newaxis] + shared + replicates([0, 0], 0.001)) == [
        Rank(1, 1, 1, "resamples"),
        Rank(2, 2, 2, "resamples"),
    ]


def test_a_single_system_is_first():
    assert rank_systems(np.array([0.3]), replicates([0.3], 0.1)) == [Rank(1, 1, 1, "resamples")]


def test_a_rank_is_written_with_its_interval_only_if_it_has_one():
    assert str(Rank(2, 1, 4, "resamples")) == "2 (1–4)"
    assert str(Rank(2, 2, 2, "resamples")) == "2"


def test_a_lower_level_rules_out_more():
    values = np.array([0.72, 0.68])
    drawn = replicates(values, 0.02)
    assert rank_systems(values, drawn, level=0.5)[0] == Rank(1, 1, 1, "resamples")
    assert rank_systems(values, drawn)[0] == Rank(1, 1, 2, "resamples")


def test_resamples_where_a_system_is_undefined_are_left_out():
    values = np.array([0.9, 0.5, 0.49])
    drawn = replicates(values, 0.02)
    drawn[0, :50] = np.nan
    assert rank_systems(values, drawn) == rank_systems(values, drawn[:, 50:])


def test_rarely_defined_systems_do_not_narrow_the_ranks_of_others():
    """Answers constant except on one item are undefined where that item is not drawn; together such systems leave no common resample."""
    rng, values = np.random.default_rng(0), np.array([0.52, 0.5, 0.48, *[0.1] * 25])
    drawn = replicates(values, 0.05)
    drawn[3:][rng.random((25, drawn.shape[1])) < 0.37] = np.nan
    ranks = rank_systems(values, drawn)
    assert all(rank.low == 1 for rank in ranks[:3])
    assert {rank.evidence for rank in ranks[:3]} == {"resamples"}
    assert all(rank.low > 1 for rank in ranks[3:])
    drawn[3:][rng.random((25, drawn.shape[1])) < 0.5] = np.nan
    assert {str(rank) for rank in rank_systems(values, drawn)[3:]} == {"4 (1–28)"}


def test_a_difference_of_one_item_in_one_task_is_not_significant():
    """Single precision cannot distinguish the variance of such a difference from zero."""
    n, tasks = 18_593, 15
    rng = np.random.default_rng(0)
    common, item = rng.normal(0.6, 0.005, 1000), rng.poisson(1, 1000) / n / tasks
    drawn = np.stack([common, common + item, common - 0.2]).astype(np.float32)
    assert [str(rank) for rank in rank_systems(np.array([0.6, 0.6 + 1 / n / tasks, 0.4]), drawn)] == ["2 (1–2)", "1 (1–2)", "3"]
    many = np.concatenate([drawn[:2], drawn[2] - rng.normal(0, 0.005, (70, 1000))])
    values = np.concatenate([[0.6, 0.6 + 1 / n / tasks], np.full(70, 0.4)])
    assert [str(rank) for rank in rank_systems(values, many)][:2] == ["2 (1–2)", "1 (1–2)"]


def test_a_system_without_a_value_has_no_rank():
    with pytest.raises(ValueError, match="has no rank"):
        rank_systems(np.array([0.5, np.nan]), replicates([0.5, 0.5], 0.1))


def test_the_interval_covers_the_true_rank_at_least_93_times_of_100():
    rng, noise = np.random.default_rng(9), 0.02
    truth = np.array([0.75, 0.74, 0.72, 0.72 - 1e-6, 0.66, 0.65])
    true_ranks = 1 + np.arange(len(truth))
    covered, lengths = [], []
    for _ in range(400):
        values = truth + rng.normal(0, noise, len(truth))
        drawn = values[:, np.newaxis] + rng.normal(0, noise, (len(truth), 300))
        ranks = rank_systems(values, drawn)
        covered.append([r.low <= true <= r.high for r, true in zip(ranks, true_ranks, strict=True)])
        lengths.append([r.high - r.low for r in ranks])
    assert np.mean(covered, axis=0).min() >= 0.93
    assert np.mean(lengths) < len(truth) - 1  # and not merely because the intervals are trivial


@pytest.mark.parametrize("spread", [0.3, 0.02, 0.0])
def test_ranks_of_many_systems_match_a_loop_over_pairs(spread: float) -> None:
    from statistics import NormalDist

    from gluepot.statistics.rank_intervals import may_be_best

    rng, systems, resamples = np.random.default_rng(7), 230, 400
    values = 0.5 + rng.normal(0, spread, systems)
    drawn = (
        values[:, None] + rng.normal(0, 0.01, resamples) + rng.normal(0, 1, (systems, resamples)) * rng.uniform(0.001, 0.03, (systems, 1))
    )
    drawn[5], values[5] = drawn[4], values[4] + 1e-4  # equal answers except for the value
    critical = NormalDist().inv_cdf(1 - 0.05 / (2 * (systems - 1)))
    better = np.zeros((systems, systems), bool)
    for i in range(systems):
        for j in range(systems):
            gap = values[j] - values[i]
            better[i, j] = gap > 0 and gap > critical * np.std(drawn[j] - drawn[i])
    found = rank_systems(values, drawn)
    assert [rank.low for rank in found] == (1 + better.sum(axis=1)).tolist()
    assert [rank.high for rank in found] == (systems - better.sum(axis=0)).tolist()
    best = may_be_best(values, drawn.std(axis=1), lambda places: drawn[places])
    assert best.tolist() == (~better.any(axis=1)).tolist()


def test_systems_without_resamples_have_no_best_candidate_and_full_rank_intervals() -> None:
    from gluepot.statistics.rank_intervals import may_be_best

    unknown = np.full(70, np.nan)
    assert not may_be_best(np.linspace(0, 1, 70), unknown, lambda places: unknown[places, None]).any()
    assert [str(rank) for rank in rank_systems(np.linspace(1, 0, 70), unknown[:, None])][:2] == ["1 (1–70)", "2 (1–70)"]
