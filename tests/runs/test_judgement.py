"""Statistical judgement shared by the command line and the board."""

import numpy as np
import pytest

from gluepot.runs.comparison.judgement import judge

RNG = np.random.default_rng(1)
DRAWS = RNG.normal([[0.8], [0.7]], 0.001, (2, 1000))


@pytest.mark.parametrize(
    ("metric", "gains", "grouped", "test"),
    [
        ("accuracy", [1.0, 0.0, -1.0], False, "McNemar, exact"),
        ("accuracy", [1.0, 0.0, -1.0], True, "paired bootstrap"),
        ("accuracy", [0.5, 0.0, -1.0], False, "paired bootstrap"),
        ("accuracy", [], False, "paired bootstrap"),
        ("alpha-nominal", [1.0, 0.0, -1.0], False, "paired bootstrap"),
    ],
    ids=["right-or-wrong", "groups", "seeds-averaged", "items-unknown", "other-metric"],
)
def test_mcnemar_is_used_for_ungrouped_items_that_are_right_or_wrong(metric: str, gains: list[float], grouped: bool, test: str) -> None:
    assert judge(metric, (0.8, 0.7), DRAWS, np.array(gains), grouped=grouped).test == test


def test_the_smallest_p_value_of_a_thousand_resamples_is_a_bound() -> None:
    judged = judge("alpha-nominal", (0.8, 0.7), DRAWS, np.empty(0), grouped=False)
    assert judged.p_is_bound
    assert judged.p == pytest.approx(0.002, abs=1e-5)
    close = judge("alpha-nominal", (0.8, 0.7), DRAWS * [[1], [8 / 7]], np.empty(0), grouped=False)
    assert not close.p_is_bound


def test_identical_answers_do_not_differ() -> None:
    judged = judge("alpha-nominal", (0.8, 0.8), [DRAWS[0], DRAWS[0]], np.zeros(5), grouped=False)
    assert (judged.difference, judged.low, judged.high, judged.p, judged.better, judged.worse) == (0, 0, 0, 1, 0, 0)
