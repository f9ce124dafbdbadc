"""Stopping a process pool from outside its own protocol, without waiting for what it still has to do."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Thread

HANGS = sys.version_info < (3, 11, 5)
"""Whether a pool without processes waits forever to write calls that nobody reads (python/cpython#94777)."""


def processes_of(pool: ProcessPoolExecutor) -> list[BaseProcess]:
    return list((pool._processes or {}).values())


def stop(pool: ProcessPoolExecutor, *, idle: bool) -> None:
    """End the processes of a pool immediately; idle ones have nothing to clean up and are killed."""
    processes = processes_of(pool)
    if HANGS:
        _discard_calls(pool, processes)
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill() if idle else process.terminate()


def _discard_calls(pool: ProcessPoolExecutor, processes: Sequence[BaseProcess]) -> None:
    """Read the calls that are left once all processes have ended, from a duplicate of the pipe, which the pool closes itself."""
    with suppress(OSError):  # it is closed already
        if (calls := getattr(pool, "_call_queue", None)) is not None:
            end = os.dup(calls._reader.fileno())
            Thread(target=_discard, args=(end, [process.sentinel for process in processes]), daemon=True).start()


def _discard(end: int, sentinels: list[int]) -> None:
    while sentinels:
        ended = wait(sentinels)
        sentinels = [sentinel for sentinel in sentinels if sentinel not in ended]
    while os.read(end, 1 << 16):
        pass
    os.close(end)
