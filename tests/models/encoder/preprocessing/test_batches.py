"""Batches for several workers: every row once, none over the budget, and no avoidable idle rounds."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gluepot.models.encoder.preprocessing.batches import by_budget, even_batches


def rows_of(lengths: list[int]) -> Any:
    return SimpleNamespace(ids=[[0] * length for length in lengths])


def tokens(encoded: Any, rows: list[int]) -> int:
    return len(rows) * max(len(encoded.ids[row]) for row in rows)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_even_batches_have_every_row_once_within_the_budget_in_no_more_rounds(seed: int, workers: int) -> None:
    lengths = np.random.default_rng(seed).integers(5, 80, 200).tolist()
    encoded, units = rows_of(lengths), [[row] for row in range(200)]
    plain, even = by_budget(units, encoded, 512), even_batches(units, encoded, 512, workers)
    assert sorted(row for rows in even for row in rows) == list(range(200))
    assert max(tokens(encoded, rows) for rows in even) <= 512
    assert -(-len(even) // workers) <= -(-len(plain) // workers)


def test_an_odd_batch_is_shared_by_two_workers() -> None:
    encoded, units = rows_of([10] * 260), [[row] for row in range(260)]
    assert [len(rows) for rows in by_budget(units, encoded, 200)] == [20] * 13
    sizes = [len(rows) for rows in even_batches(units, encoded, 200, 2)]
    assert len(sizes) == 14
    assert max(sizes) == 19


def test_one_worker_gets_the_batches_by_budget() -> None:
    encoded, units = rows_of([10] * 7), [[row] for row in range(7)]
    assert even_batches(units, encoded, 30, 1) == by_budget(units, encoded, 30)


def test_row_longer_than_the_budget_is_a_batch_of_its_own() -> None:
    encoded, units = rows_of([300, 10, 10]), [[0], [1], [2]]
    assert even_batches(units, encoded, 100, 2)[0] == [0]
