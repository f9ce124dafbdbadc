"""Pool of local worker processes: started with the first job, stopped after the last, restarted after a crash."""

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from signal import SIG_BLOCK, SIG_IGN, SIG_UNBLOCK, SIGINT, SIGTERM, pthread_sigmask, signal
from threading import Thread
from time import sleep
from typing import Any, Self

from gluepot.errors import TERMINATED
from gluepot.process_pools import processes_of, stop
from gluepot.runs.prediction.execution import crashes
from gluepot.runs.prediction.execution.spawning import QuietSpawnContext
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import Job

Tick = Callable[[], None]
"""Called a few times a second while jobs run, to refresh the display."""
GRACE = 5.0
"""Seconds that a worker has for cleanup."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerDied(Exception):
    """Raised when a process ends during a job, with its exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class WorkerPool:
    """Processes that start with the first job, and restart after one of them died."""

    def __init__(self, jobs: int) -> None:
        self.jobs, self.idle = jobs, True
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, work: dict[Job, tuple[Any, ...]], tick: Tick) -> Iterator[tuple[Job, JobReport]]:
        """Submit the call of each job in this order; yield jobs and reports as they finish."""
        pool, self.idle = self._started(), False
        try:
            with threads_shared(self.jobs), _interrupts_later():
                futures = {pool.submit(*call): job for job, call in work.items()}
            while futures:
                ended, _ = wait(futures, timeout=0.2, return_when=FIRST_COMPLETED)
                tick()
                for future in ended:
                    yield futures.pop(future), future.result()
            self.idle = True
        except BrokenProcessPool as error:
            raise WorkerDied(crashes.exit_code(processes_of(pool))) from error
        finally:
            if not self.idle:
                self._end()

    def _started(self) -> ProcessPoolExecutor:
        self.pool = self.pool or ProcessPoolExecutor(self.jobs, QuietSpawnContext(), _prepare_worker)
        return self.pool

    def _end(self) -> None:
        if self.pool is not None:
            # Files have all results up to the last batch. With scikit-learn loaded, a process takes 0.3 s to exit by itself.
            stop(self.pool, idle=self.idle)
        self.pool = None


def _prepare_worker() -> None:
    """Make a worker ignore Ctrl-C, exit on SIGTERM, and end with the main process."""
    signal(SIGINT, SIG_IGN)
    pthread_sigmask(SIG_UNBLOCK, {SIGINT})
    signal(SIGTERM, _go)
    if (main := parent_process()) is not None:
        Thread(target=_end_after, args=(main,), daemon=True).start()


def _go(*_: object) -> None:
    """Exit immediately: between jobs nothing is open, and an exception in a process that is already exiting would print a traceback."""
    os._exit(TERMINATED)


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into SystemExit while a job runs, so that open resources are closed."""
    signal(SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal(SIGTERM, _go)


def _end_after(main: BaseProcess) -> None:
    """Terminate the worker after the main process: by SIGTERM first, so that a program it runs is ended too, and forcibly if that fails."""
    main.join()
    os.kill(os.getpid(), SIGTERM)
    sleep(GRACE)
    os._exit(TERMINATED)


@contextmanager
def threads_shared(processes: int) -> Iterator[None]:
    """Divide CPU threads among processes by environment variables, which numerical libraries read on import; set ones are unchanged."""
    before = {name: os.environ.get(name) for name in THREADS}
    share = str(max(1, (os.cpu_count() or 1) // processes))
    os.environ.update({name: value or share for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Block Ctrl-C until the end of the context; processes started in it block it until they have set their own handler."""
    pthread_sigmask(SIG_BLOCK, {SIGINT})
    try:
        yield
    finally:
        pthread_sigmask(SIG_UNBLOCK, {SIGINT})
