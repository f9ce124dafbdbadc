"""Concurrent batches: one core per batch, rather than all cores on one batch, where they wait for each other in every operation."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

T = TypeVar("T")


def worker_count(device: torch.device) -> int:
    """Return the number of batches that may run concurrently."""
    return torch.get_num_threads() if device.type == "cpu" else 1


def side_by_side(work: Callable[[T], None], batches: Sequence[T], device: torch.device) -> None:
    """Process all batches, with no more torch threads than before."""
    threads = torch.get_num_threads()
    workers = min(worker_count(device), len(batches))
    if workers < 2:
        for batch in batches:
            work(batch)
        return
    pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(threads // workers,))
    try:
        for _ in pool.map(work, batches):
            pass
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
