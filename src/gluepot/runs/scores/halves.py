"""Work that two processes share: one half is done by a copy of this process, which has read everything that this one has."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ENDING = (signal.SIGINT, signal.SIGTERM)
Job = TypeVar("Job")
Done = TypeVar("Done")


def can_fork() -> bool:
    """Whether a copy of this process is safe, and would find a core of its own."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def by_two(jobs: Sequence[Job], work: Callable[[Job], Done], weight: Callable[[Job], float]) -> list[Done]:
    """The jobs' results in their order; what the other process did not bring back is done here, so that its errors are seen here."""
    from multiprocessing import get_context

    own, others = split_evenly([weight(job) for job in jobs])
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(jobs, others, work, sender), daemon=True)
    held = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    sender.close()
    done = {number: work(jobs[number]) for number in own}
    with receiver, suppress(EOFError, OSError):
        done.update(receiver.recv())
    process.join()
    return [done[number] if number in done else work(job) for number, job in enumerate(jobs)]


def _work(jobs: Sequence[Job], numbers: list[int], work: Callable[[Job], Any], sender: "Connection[Any, Any]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops this is told so by the first process, and once
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    with sender, suppress(Exception):
        sender.send({number: work(jobs[number]) for number in numbers})


def split_evenly(weights: Sequence[float]) -> tuple[list[int], list[int]]:
    """Two halves of about the same weight: the heaviest first, each to the lighter side.

    >>> split_evenly([1, 5, 4, 2])
    ([1, 0], [2, 3])
    """
    halves: tuple[list[int], list[int]] = ([], [])
    sums = [0.0, 0.0]
    for number in sorted(range(len(weights)), key=lambda number: -weights[number]):
        side = sums.index(min(sums))
        halves[side].append(number)
        sums[side] += weights[number]
    return halves
