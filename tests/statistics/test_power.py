"""Smallest detectable difference of a test set, against simulation and theory."""

from math import isnan

import numpy as np
import pytest

from gluepot.statistics.paired import mcnemar
from gluepot.statistics.power import detectable_accuracy, detectable_difference


def test_more_items_detect_smaller_differences():
    gaps = [detectable_accuracy(n) for n in (50, 140, 305, 1000, 9815, 100_000)]
    assert gaps == sorted(gaps, reverse=True)
    assert len(set(gaps)) == len(gaps)


def test_systems_that_rarely_disagree_need_smaller_differences():
    assert detectable_accuracy(500, disagreement=0.05) < detectable_accuracy(500, disagreement=0.3)


def test_more_power_or_a_stricter_level_needs_a_larger_difference():
    assert detectable_accuracy(500, power=0.95) > detectable_accuracy(500)
    assert detectable_accuracy(500, level=0.01) > detectable_accuracy(500)


def test_the_difference_solves_miettinens_formula():
    gap = detectable_accuracy(305, disagreement=0.25)
    assert (1.959964 * np.sqrt(0.25) + 0.841621 * np.sqrt(0.25 - gap**2)) ** 2 / gap**2 == pytest.approx(305, rel=1e-5)


@pytest.mark.parametrize("n", [1, 10, 30])
def test_too_few_items_detect_no_difference(n):
    assert isnan(detectable_accuracy(n, disagreement=0.2))


@pytest.mark.parametrize(("n", "disagreement"), [(300, 0.3), (1000, 0.2), (3000, 0.1)])
def test_mcnemars_test_finds_the_detectable_difference_four_times_of_five(n, disagreement):
    gap = detectable_accuracy(n, disagreement)
    shares = [(disagreement + gap) / 2, (disagreement - gap) / 2, 1 - disagreement]
    changes, counts = np.unique(np.random.default_rng(n).multinomial(n, shares, size=4000)[:, :2], axis=0, return_counts=True)
    found = np.array([mcnemar(int(better), int(worse)) < 0.05 for better, worse in changes])
    assert (found * counts).sum() / 4000 == pytest.approx(0.8, abs=0.05)


def test_the_detectable_difference_of_any_metric_is_2_8_standard_errors():
    rng = np.random.default_rng(3)
    shared = rng.normal(0, 1, 20_000)
    a, b = shared + rng.normal(0, 0.03, 20_000), shared + rng.normal(0, 0.04, 20_000)
    assert detectable_difference(a, b) == pytest.approx((1.959964 + 0.841621) * 0.05, rel=0.02)


def test_undefined_replicates_are_left_out():
    a, b = np.array([0.1, 0.3, np.nan, 0.2]), np.array([0.0, 0.0, 0.0, 0.0])
    assert detectable_difference(a, b) == pytest.approx(2.801585 * 0.1, rel=1e-6)
