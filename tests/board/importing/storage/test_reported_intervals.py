"""Bounds on reported intervals: none is narrower than its number of items allows."""

from types import SimpleNamespace
from typing import Any

import pytest

from gluepot.statistics.independent import BoundedScore, difference_p
from gluepot.statistics.wilson import wilson_interval

TASKS: dict[str, Any] = {"t": {"data": {"rows": {"test": 500}}}}


def bounded(**facts: Any) -> Any:
    from gluepot.board.importing.storage.reported_intervals import bound_by_items

    given = {"task": "t", "split": "test", "metric": "accuracy", "slice": "", "value": 0.9, "low": 0.9, "high": 0.9, "n": None}
    row = SimpleNamespace(**{**given, "verified": False, "method": "iterations", **facts})
    bound_by_items(TASKS, [row])
    return row


@pytest.mark.parametrize(("n", "used"), [(100, 100), (None, 500)])
def test_share_has_at_least_the_wilson_interval_of_its_items(n: int | None, used: int) -> None:
    row = bounded(n=n)
    assert (row.low, row.high) == wilson_interval(0.9, used)


def test_wider_stated_interval_is_unchanged() -> None:
    row = bounded(low=0.7, high=0.99)
    assert (row.low, row.high) == (0.7, 0.99)


def test_other_metric_has_at_least_the_interval_width_of_a_share() -> None:
    row = bounded(metric="mcc")
    assert row.high - row.low == pytest.approx(wilson_interval(1.0, 500)[1] - wilson_interval(1.0, 500)[0])
    assert (row.low + row.high) / 2 == pytest.approx(0.9)


@pytest.mark.parametrize(("value", "metric"), [(1.0, "mcc"), (1.0, "accuracy"), (0.0, "macro-f1")])
def test_interval_stays_within_the_scale_of_its_metric(value: float, metric: str) -> None:
    row = bounded(value=value, low=value, high=value, metric=metric)
    assert 0 <= row.low <= value <= row.high <= 1
    assert row.low < row.high


def test_zero_width_interval_without_item_count_is_dropped() -> None:
    row = bounded(task="unknown")
    assert (row.low, row.high, row.method) == (None, None, "")
    kept = bounded(task="unknown", low=0.89)
    assert (kept.low, kept.high) == (0.89, 0.9)


def test_item_count_is_capped_at_the_declared_size() -> None:
    row = bounded(n=1_000_000)
    assert (row.low, row.high) == wilson_interval(0.9, 500)


@pytest.mark.parametrize(("low", "high"), [(0.95, 0.99), (0.99, 0.95), (0.7, 0.8), (0.95, 0.95)])
@pytest.mark.parametrize("task", ["t", "unknown"])
def test_interval_always_contains_its_value(task: str, low: float, high: float) -> None:
    row = bounded(task=task, low=low, high=high)
    assert row.low <= min(low, high, 0.9)
    assert row.high >= max(low, high, 0.9)


@pytest.mark.parametrize("end", [float("nan"), float("inf")])
def test_interval_that_is_not_finite_is_dropped(end: float) -> None:
    row = bounded(high=end)
    assert (row.low, row.high, row.method) == (None, None, "")


def test_human_score_without_item_count_gets_no_wilson_interval() -> None:
    from gluepot.board.importing.storage.reported_intervals import add_wilson

    def given(people: bool, n: int | None) -> Any:
        facts: dict[str, Any] = {"task": "t", "split": "test", "metric": "accuracy", "slice": "", "value": 0.9, "low": None, "high": None}
        row = SimpleNamespace(**facts, n=n, verified=False, method="")
        add_wilson(TASKS, [row], people=people)
        return row

    assert given(False, None).n == 500
    assert given(True, None).low is None
    assert (given(True, 50).low, given(True, 50).high) == wilson_interval(0.9, 50)


def test_computed_score_is_unchanged() -> None:
    assert bounded(verified=True).low == 0.9


def test_equal_repetitions_do_not_make_a_difference_significant() -> None:
    """Covers a record whose repetitions are all equal, marginally above the next."""
    sure, next_best = bounded(value=0.901, low=0.901, high=0.901), bounded(low=0.89, high=0.91)
    assert difference_p(*(BoundedScore(row.value, row.low, row.high) for row in (sure, next_best))) > 0.9
    mcc, other = bounded(metric="mcc", value=0.901, low=0.901, high=0.901), bounded(metric="mcc")
    assert difference_p(*(BoundedScore(row.value, row.low, row.high) for row in (mcc, other))) > 0.5
