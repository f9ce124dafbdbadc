"""Processes of this machine that take one job after another: started with the first, stopped with the last, anew after one died."""

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
from gluepot.runs.prediction.execution import crashes
from gluepot.runs.prediction.execution.spawning import QuietSpawnContext
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import Job

Tick = Callable[[], None]
"""Called a few times a second while jobs run, for the display."""
GRACE = 5.0
"""Seconds that a worker has for cleaning up."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerDied(Exception):
    """A process ended under its job, with this exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class WorkerPool:
    """Processes that are started when the first job comes, and anew after one of them died."""

    def __init__(self, jobs: int) -> None:
        self.jobs, self.idle = jobs, True
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, work: dict[Job, tuple[Any, ...]], tick: Tick) -> Iterator[tuple[Job, JobReport]]:
        """What is to be called for each job, handed out in this order."""
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
            raise WorkerDied(crashes.exit_code(_processes(pool))) from error
        finally:
            if not self.idle:
                self._end()

    def _started(self) -> ProcessPoolExecutor:
        self.pool = self.pool or ProcessPoolExecutor(self.jobs, QuietSpawnContext(), _prepare_worker)
        return self.pool

    def _end(self) -> None:
        if self.pool is not None:
            _stop(self.pool, idle=self.idle)
        self.pool = None


def _prepare_worker() -> None:
    """A worker leaves Ctrl-C to the main process, goes when it is told to end, and does not outlive the main process."""
    signal(SIGINT, SIG_IGN)
    pthread_sigmask(SIG_UNBLOCK, {SIGINT})
    signal(SIGTERM, _go)
    if (main := parent_process()) is not None:
        Thread(target=_end_after, args=(main,), daemon=True).start()


def _go(*_: object) -> None:
    """Between jobs nothing is open. An exception instead, in a process that is leaving already, would be told as a traceback."""
    os._exit(TERMINATED)


@contextmanager
def cleaned_up() -> Iterator[None]:
    """While a job runs, a worker that is told to end is told by an exception, so that what is open is closed."""
    signal(SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal(SIGTERM, _go)


def _end_after(main: BaseProcess) -> None:
    """First as if told to end, so that a program is ended too; a worker that is deaf to it then goes the hard way."""
    main.join()
    os.kill(os.getpid(), SIGTERM)
    sleep(GRACE)
    os._exit(TERMINATED)


@contextmanager
def threads_shared(processes: int) -> Iterator[None]:
    """Numerical libraries take their number of threads from the environment when a new process first imports them; what is set stays."""
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
    """Ctrl-C waits for the end of this, and processes started in it are deaf to it until they have said what they do with it."""
    pthread_sigmask(SIG_BLOCK, {SIGINT})
    try:
        yield
    finally:
        pthread_sigmask(SIG_UNBLOCK, {SIGINT})


def _processes(pool: ProcessPoolExecutor) -> list[BaseProcess]:
    return list((pool._processes or {}).values())


def _stop(pool: ProcessPoolExecutor, *, idle: bool) -> None:
    """End the pool at once: what its processes were doing is in the files up to the last batch.

    Idle ones have nothing to tidy up, and Python takes 0.3 s to leave a process that has scikit-learn in it.
    """
    processes = _processes(pool)
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill() if idle else process.terminate()
