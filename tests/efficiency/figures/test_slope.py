"""Throughput as a slope, independent of start-up, shutdown and precomputation."""

import pytest

from gluepot.efficiency.figures.slope import estimate_slope, group_by_round, repeat_speedup
from gluepot.efficiency.run_records import RunRecord


def run(records: int, number: int, *, start: float = 3.0, rate: float = 500.0, streamed: bool = True) -> RunRecord:
    """Record of a program that is ready after `start` seconds and then answers `rate` items per second."""
    last = start + records / rate
    ready = start + 32 / rate if streamed else None
    first = start + 1 / rate if streamed else last - 0.001
    return RunRecord(
        records, 32, number, float(number), last + 1, first, 1, last, ready=ready, ready_answers=32 if streamed else 0, cpu_seconds=0
    )


def rounds(count: int = 5, **facts: object) -> list[list[RunRecord]]:
    return group_by_round([run(size, number, **facts) for number in range(1, count + 1) for size in (500, 1000, 2000)], 32)


@pytest.mark.parametrize("streamed", [True, False])
def test_the_slope_is_the_rate_whatever_the_start(streamed: bool) -> None:
    found = estimate_slope(rounds(streamed=streamed), "m", "t")
    assert found is not None
    assert found.value == pytest.approx(500)
    assert (found.rounds, found.streamed, round(found.spread, 6)) == (5, streamed, 1)


def test_a_varying_start_does_not_change_the_rate_of_a_streaming_program() -> None:
    runs = [run(size, number, start=1.0 + (number * 7 + size) % 5) for number in range(1, 6) for size in (500, 1000, 2000)]
    found = estimate_slope(group_by_round(runs, 32), "m", "t")
    assert found is not None
    assert found.value == pytest.approx(500)


def test_answers_printed_at_the_end_do_not_inflate_the_rate() -> None:
    """Everything is computed before the first answer, so the time after it carries no information."""
    found = estimate_slope(rounds(streamed=False, rate=50.0), "m", "t")
    assert found is not None
    assert found.value == pytest.approx(50)


def test_spread_covers_all_rounds_and_value_only_the_last_ones() -> None:
    runs = [run(size, number, rate=100.0 * number) for number in range(1, 8) for size in (500, 1000, 2000)]
    found = estimate_slope(group_by_round(runs, 32, 5), "m", "t")
    assert found is not None
    assert (found.rounds, found.value) == (5, pytest.approx(500))
    assert found.spread == pytest.approx(700 / 300)


def test_incomplete_rounds_and_the_trial_are_left_out() -> None:
    runs = [*rounds(1)[0], run(500, 2), run(2000, 0)]
    assert [len(one) for one in group_by_round(runs, 32)] == [3]


def test_detects_a_program_that_caches_its_answers() -> None:
    curve = [(1.0 + 0.1 * number, 10 * number) for number in range(1, 5)] + [
        (1.41 + 0.01 * number, 40 + 40 * number) for number in range(1, 10)
    ]
    cached = RunRecord(400, 32, 1, 0.0, 2.0, 1.1, 10, 1.5, arrivals=curve)
    assert repeat_speedup([cached], 40) == pytest.approx(40, rel=0.3)
    steady = [(1.0 + 0.1 * number, 10 * number) for number in range(1, 41)]
    assert repeat_speedup([RunRecord(400, 32, 1, 0.0, 5.0, 1.1, 10, 5.0, arrivals=steady)], 40) is None
