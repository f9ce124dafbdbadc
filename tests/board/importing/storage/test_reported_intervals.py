"""Reported scores are no surer than their number of items allows, however they are stated."""

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
def test_a_share_has_at_least_wilsons_interval_of_its_items_as_told_or_declared(n: int | None, used: int) -> None:
    row = bounded(n=n)
    assert (row.low, row.high) == wilson_interval(0.9, used)


def test_a_wider_interval_stays_as_it_was_stated() -> None:
    row = bounded(low=0.7, high=0.99)
    assert (row.low, row.high) == (0.7, 0.99)


def test_another_metric_is_no_surer_than_a_share_of_all_items() -> None:
    row = bounded(metric="mcc")
    assert row.high - row.low == pytest.approx(wilson_interval(1.0, 500)[1] - wilson_interval(1.0, 500)[0])
    assert (row.low + row.high) / 2 == pytest.approx(0.9)


@pytest.mark.parametrize(("value", "metric"), [(1.0, "mcc"), (1.0, "accuracy"), (0.0, "macro-f1")])
def test_no_interval_leaves_the_scale_of_its_metric(value: float, metric: str) -> None:
    row = bounded(value=value, low=value, high=value, metric=metric)
    assert 0 <= row.low <= value <= row.high <= 1
    assert row.low < row.high


def test_without_a_number_of_items_an_interval_of_no_width_is_dropped() -> None:
    row = bounded(task="unknown")
    assert (row.low, row.high, row.method) == (None, None, "")
    kept = bounded(task="unknown", low=0.89)
    assert (kept.low, kept.high) == (0.89, 0.9)


def test_nobody_answered_more_items_than_there_are() -> None:
    row = bounded(n=1_000_000)
    assert (row.low, row.high) == wilson_interval(0.9, 500)


@pytest.mark.parametrize(("low", "high"), [(0.95, 0.99), (0.99, 0.95), (0.7, 0.8), (0.95, 0.95)])
@pytest.mark.parametrize("task", ["t", "unknown"])
def test_an_interval_holds_its_value_whatever_was_stated(task: str, low: float, high: float) -> None:
    row = bounded(task=task, low=low, high=high)
    assert row.low <= min(low, high, 0.9)
    assert row.high >= max(low, high, 0.9)


@pytest.mark.parametrize("end", [float("nan"), float("inf")])
def test_an_interval_that_is_none_is_dropped(end: float) -> None:
    row = bounded(high=end)
    assert (row.low, row.high, row.method) == (None, None, "")


def test_people_have_no_interval_from_a_number_of_items_that_nobody_says_they_were_asked() -> None:
    from gluepot.board.importing.storage.reported_intervals import add_wilson

    def given(people: bool, n: int | None) -> Any:
        facts: dict[str, Any] = {"task": "t", "split": "test", "metric": "accuracy", "slice": "", "value": 0.9, "low": None, "high": None}
        row = SimpleNamespace(**facts, n=n, verified=False, method="")
        add_wilson(TASKS, [row], people=people)
        return row

    assert given(False, None).n == 500
    assert given(True, None).low is None
    assert (given(True, 50).low, given(True, 50).high) == wilson_interval(0.9, 50)


def test_what_was_computed_here_is_left_alone() -> None:
    assert bounded(verified=True).low == 0.9


def test_the_same_number_ten_times_does_not_win_for_certain() -> None:
    """The trick: a record whose repetitions are all equal, a hair above the next."""
    sure, next_best = bounded(value=0.901, low=0.901, high=0.901), bounded(low=0.89, high=0.91)
    assert difference_p(*(BoundedScore(row.value, row.low, row.high) for row in (sure, next_best))) > 0.9
    mcc, other = bounded(metric="mcc", value=0.901, low=0.901, high=0.901), bounded(metric="mcc")
    assert difference_p(*(BoundedScore(row.value, row.low, row.high) for row in (mcc, other))) > 0.5
