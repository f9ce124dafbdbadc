"""Batches side by side: a core a batch, rather than all cores on one batch, where they wait for each other in every operation."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

T = TypeVar("T")


def worker_count(device: torch.device) -> int:
    """How many batches may run at once."""
    return torch.get_num_threads() if device.type == "cpu" else 1


def side_by_side(work: Callable[[T], None], batches: Sequence[T], device: torch.device) -> None:
    """Do all of them; torch may use no more threads than before."""
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
