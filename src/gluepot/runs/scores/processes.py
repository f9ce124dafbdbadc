"""Work shared by two processes: the current one, and a fork of it that has read everything this one has."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ENDING = (signal.SIGINT, signal.SIGTERM)
Job = TypeVar("Job")
Done = TypeVar("Done")


def can_fork() -> bool:
    """Return whether a fork is safe and would have a CPU core of its own."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def map_in_two_processes(jobs: Sequence[Job], work: Callable[[Job], Done], weight: Callable[[Job], float]) -> list[Done]:
    """Run the jobs in two processes and return the results in order; those the fork did not return are computed here, to show errors."""
    from multiprocessing import get_context

    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    queue = JobQueue(sorted(range(len(jobs)), key=lambda number: -weight(jobs[number])))
    process = context.Process(target=_work, args=(jobs, queue, work, sender), daemon=True)
    held = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    sender.close()
    with receiver, queue:
        done = {number: work(jobs[number]) for number in queue}
        with suppress(EOFError, OSError):
            done.update(receiver.recv())
    process.join()
    return [done[number] if number in done else work(job) for number, job in enumerate(jobs)]


class JobQueue:
    """Numbers of jobs in a pipe: the next free process takes the next one, since durations are unknown beforehand.

    >>> with JobQueue([2, 0, 1]) as queue:
    ...     list(queue)
    [2, 0, 1]
    """

    SIZE = 2

    def __init__(self, numbers: Sequence[int]) -> None:
        self.reader, writer = os.pipe()
        with os.fdopen(writer, "wb") as stream:
            for number in numbers:
                stream.write(number.to_bytes(self.SIZE, "big"))

    def __iter__(self) -> Iterator[int]:
        while number := os.read(self.reader, self.SIZE):
            yield int.from_bytes(number, "big")

    def __enter__(self) -> "JobQueue":
        return self

    def __exit__(self, *told: object) -> None:
        os.close(self.reader)


def _work(jobs: Sequence[Job], queue: JobQueue, work: Callable[[Job], Any], sender: "Connection[Any, Any]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process alone reports the interrupt, once
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    done = {}
    with sender, suppress(Exception):
        for number in queue:
            done[number] = work(jobs[number])
        sender.send(done)
