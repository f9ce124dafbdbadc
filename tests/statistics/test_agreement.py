"""Agreement of annotators: worked examples, Krippendorff's paper, and equality with the krippendorff package."""

import numpy as np
import pytest

from gluepot.errors import GluepotError
from gluepot.statistics.agreement import Consistency, consistency, krippendorff_interval, pairwise_agreement

NAN = np.nan
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, missing values.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


def test_pairwise_agreement_is_the_mean_over_pairs():
    # a–b: 0.8, a–c: −1, b–c: −0.8.
    ratings = np.array([[1, 1, 4], [2, 3, 3], [3, 2, 2], [4, 4, 1]], float)
    assert pairwise_agreement(ratings) == pytest.approx((0.8 - 1 - 0.8) / 3)


def test_pairwise_agreement_accepts_another_correlation():
    assert pairwise_agreement(np.array([[1.0, 1.0], [2.0, 1.5], [3.0, 3.5]]), "pearson") == pytest.approx(2.5 / np.sqrt(7))


def test_a_pair_of_annotators_is_compared_on_their_common_items():
    ratings = np.array([[1, 1], [2, 3], [3, 2], [4, 4], [NAN, 0], [9, NAN]], float)
    assert pairwise_agreement(ratings) == pytest.approx(0.8)


def test_annotators_without_common_items_are_an_error():
    with pytest.raises(GluepotError, match="no items"):
        pairwise_agreement(np.array([[1.0, NAN], [NAN, 2.0]]))


def test_consistency_by_hand():
    # Do = 10/4; pooled 1 5 9 2 1 6 6 2 with mean 4 and Σ(x−x̄)² = 60, so De = 120/7.
    judged = consistency([1, 5, 9, 2], [1, 6, 6, 2])
    assert (judged.pairs, judged.disagreements, judged.hard) == (4, 2, 1)
    assert judged.alpha == pytest.approx(1 - 2.5 / (120 / 7))


def test_a_hard_disagreement_is_more_than_two_apart():
    assert consistency([1, 1, 1], [3, 3.5, 1]).hard == 1
    assert consistency([1, 1, 1], [3, 3.5, 1], hard=1).hard == 2


def test_identical_repeated_judgments_are_fully_consistent():
    assert consistency([3, 3], [3, 3]) == Consistency(2, 0, 0, 1.0)


def test_interval_alpha_reproduces_krippendorffs_example():
    assert krippendorff_interval(OBSERVERS) == pytest.approx(0.849, abs=5e-4)


@pytest.mark.parametrize("constant", [0.1, 0.3, 4.3, 7.0])
@pytest.mark.parametrize("annotators", [2, 3, 7])
def test_interval_alpha_is_one_where_nothing_disagrees(constant, annotators):
    assert krippendorff_interval(np.full((11, annotators), constant)) == 1.0


def test_items_that_one_annotator_judged_do_not_count():
    assert krippendorff_interval(np.vstack([OBSERVERS, [NAN, 100, NAN, NAN]])) == krippendorff_interval(OBSERVERS)


def test_interval_alpha_needs_an_item_that_two_annotators_judged():
    with pytest.raises(GluepotError, match="no item was judged by two annotators"):
        krippendorff_interval(np.array([[1.0, NAN], [NAN, 2.0]]))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("far", [0, 1e6])
def test_interval_alpha_equals_the_krippendorff_package_with_missing_values(seed, far):
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(seed)
    ratings = far + rng.integers(0, 11, size=(30, 1)) + rng.integers(-3, 4, size=(30, 5)).astype(float)
    ratings[rng.random(ratings.shape) < 0.4] = NAN
    theirs = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="interval")
    assert krippendorff_interval(ratings) == pytest.approx(theirs, abs=1e-12)
