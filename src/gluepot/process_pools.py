"""Immediate termination of a process pool, outside its own protocol and without waiting for pending calls."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing.process import BaseProcess


def processes_of(pool: ProcessPoolExecutor) -> list[BaseProcess]:
    return list((pool._processes or {}).values())


def stop(pool: ProcessPoolExecutor, *, idle: bool) -> None:
    """End the processes of a pool immediately; idle ones have nothing to clean up and are killed."""
    processes, calls = processes_of(pool), getattr(pool, "_call_queue", None)
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill() if idle else process.terminate()
    if calls is not None:  # Python before 3.11.5 waits forever to write calls that no process reads (python/cpython#94777)
        calls._reader.close()
