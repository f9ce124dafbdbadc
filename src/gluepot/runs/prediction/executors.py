"""Where jobs run: in processes of this machine, or on a Ray cluster. The files and the numbers are the same."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from signal import SIG_BLOCK, SIG_IGN, SIG_UNBLOCK, SIGINT, SIGTERM, pthread_sigmask, signal
from threading import Thread
from time import sleep
from traceback import clear_frames
from typing import Any, Protocol

from gluepot.data.folders import find_files, has_split
from gluepot.errors import TERMINATED, GluepotError
from gluepot.models import ModelName
from gluepot.models.precision import PrecisionChoice, choose, common_choice
from gluepot.models.precision_probe import FULL
from gluepot.records import Suite, Task
from gluepot.registry import Registry
from gluepot.runs.prediction import crashes
from gluepot.runs.prediction.jobs import JobReport, run_job
from gluepot.runs.prediction.plan import Job, Plan
from gluepot.runs.prediction.spawning import QuietSpawnContext
from gluepot.tasks import KINDS

Tick = Callable[[], None]
"""Called a few times a second while jobs run, for the display."""
ATTEMPTS = 3
"""How often a job is started again after its process died under it."""
OPTIONS = 4
"""About how many options an item has where it has some."""
GRACE = 5.0
"""Seconds that a worker has for cleaning up."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Executor(Protocol):
    """Runs all jobs of a plan and yields their reports as they end."""

    def choose_precision(self, wanted: str) -> PrecisionChoice:
        """The precision that works where the jobs will run."""
        ...

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]: ...


class WorkerDied(Exception):
    """A process ended under its job, with this exit code."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


EXECUTORS: Registry[Callable[..., Executor]] = Registry("place to run")


def _prepare_worker() -> None:
    """A worker leaves Ctrl-C to the main process, cleans up when it is told to end, and does not outlive the main process."""
    signal(SIGINT, SIG_IGN)
    pthread_sigmask(SIG_UNBLOCK, {SIGINT})
    signal(SIGTERM, lambda *_: sys.exit(TERMINATED))
    if (main := parent_process()) is not None:
        Thread(target=_end_after, args=(main,), daemon=True).start()


def _end_after(main: BaseProcess) -> None:
    """First as if told to end, so that a program is ended too; a worker that is deaf to it then goes the hard way."""
    main.join()
    os.kill(os.getpid(), SIGTERM)
    sleep(GRACE)
    os._exit(TERMINATED)


def _run_job(model: ModelName, job: Job, suite: Suite, folder: Path, limit: int | None) -> JobReport:
    """The job, and the end of the process if it is told to end: the pool would take that for a result and hand out the next job."""
    try:
        return run_job(model, job, suite, folder, limit)
    except SystemExit as told:
        clear_frames(told.__traceback__)  # closes what the job had open, such as a program
        os._exit(TERMINATED)


@contextmanager
def _threads_shared(processes: int) -> Iterator[None]:
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


@EXECUTORS.register("local")
class LocalExecutor:
    """Processes of this machine, `jobs` at a time."""

    def __init__(self, jobs: int = 1, address: str | None = None) -> None:
        if address:
            raise GluepotError("--address goes with --on ray.")
        self.jobs = jobs

    def choose_precision(self, wanted: str) -> PrecisionChoice:
        return choose(wanted)

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]:
        waiting = dict.fromkeys(plan.jobs, 0)
        while waiting:
            try:
                work = {job: (_run_job, model, job, suite, folder, plan.limit) for job in heaviest_first(list(waiting), suite)}
                for job, report in self._round(work, tick):
                    del waiting[job]
                    yield report
            except WorkerDied as died:
                waiting = {job: attempts + 1 for job, attempts in waiting.items()}
                if (attempts := max(waiting.values())) >= ATTEMPTS or crashes.hopeless(died.code):
                    raise GluepotError(self._told(died.code, attempts, list(waiting), model)) from died

    def _told(self, code: int | None, attempts: int, jobs: list[Job], model: ModelName) -> str:
        times = f" {attempts} times" if attempts > 1 else ""
        names = ", ".join(job.name for job in jobs)
        return f"a worker {crashes.in_words(code)}{times}; not done: {names}. {crashes.hint(code, model, self.jobs)}".rstrip()

    def _round(self, work: dict[Job, tuple[Any, ...]], tick: Tick) -> Iterator[tuple[Job, JobReport]]:
        """What is to be called for each job, handed out in this order."""
        pool = ProcessPoolExecutor(self.jobs, QuietSpawnContext(), _prepare_worker)
        idle = False
        try:
            with _threads_shared(self.jobs), _interrupts_later():
                futures = {pool.submit(*call): job for job, call in work.items()}
            while futures:
                ended, _ = wait(futures, timeout=0.2, return_when=FIRST_COMPLETED)
                tick()
                for future in ended:
                    yield futures.pop(future), future.result()
            idle = True
        except BrokenProcessPool as error:
            raise WorkerDied(crashes.exit_code(_processes(pool))) from error
        finally:
            _stop(pool, idle=idle)


def heaviest_first(jobs: list[Job], suite: Suite) -> list[Job]:
    """Jobs by the size of their files: a long one that starts last keeps only one process busy."""
    return sorted(jobs, key=lambda job: _weight(job, suite), reverse=True)


def _weight(job: Job, suite: Suite) -> int:
    wanted = [(suite.tasks[job.learns], "train"), *((suite.tasks[name], job.split) for name in job.answers)]
    return sum(_size(task, split) for task, split in wanted if has_split(task, split))


def _size(task: Task, split: str) -> int:
    """Bytes, several times over where each option of an item is judged by itself."""
    times = OPTIONS if "options" in KINDS[task.kind].inputs else 1
    return times * sum(path.stat().st_size for path in find_files(task, split)[1])


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


class InProcess:
    """This very process, a job after the other: for models that a program hands over."""

    def choose_precision(self, wanted: str) -> PrecisionChoice:
        return choose(wanted)

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]:
        for job in plan.jobs:
            tick()
            yield run_job(model, job, suite, folder, plan.limit)


@EXECUTORS.register("ray")
class Ray:
    """A Ray cluster: one that is started here, or the one at `address`. The run's folder must be visible to all machines."""

    def __init__(self, jobs: int = 0, address: str | None = None) -> None:
        self.jobs, self.address = jobs, address

    def choose_precision(self, wanted: str) -> PrecisionChoice:
        """Of a cluster elsewhere every machine is asked: a job may run on any."""
        if not self.address or wanted == FULL:
            return choose(wanted)
        with self._cluster() as ray:
            return common_choice(_results(ray, [ask.remote(wanted) for ask in _on_each_machine(ray, choose)]))

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]:
        with self._cluster() as ray:
            gpus = 1 if model.info.tuned and ray.cluster_resources().get("GPU") else 0  # Ray hides them from others
            remote = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=ATTEMPTS)(run_job)
            shared = ray.put(suite)  # once for all jobs
            pending = [remote.remote(model, job, shared, folder.resolve(), plan.limit) for job in heaviest_first(plan.jobs, suite)]
            while pending:
                ended, pending = ray.wait(pending, num_returns=1, timeout=0.2)
                tick()
                yield from _results(ray, ended)

    @contextmanager
    def _cluster(self) -> Iterator[Any]:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise GluepotError("--on ray needs Ray: pip install 'gluepot[ray]'.") from error
        settings: dict[str, Any] = (
            {"address": self.address} if self.address else {"address": "local", "num_cpus": self.jobs or None, "include_dashboard": False}
        )
        try:
            ray.init(logging_level="ERROR", log_to_driver=False, **settings)
        except (ConnectionError, ray.exceptions.RayError) as error:
            hint = "Start one with `ray start --head`; to join one that asks for a token, set RAY_AUTH_MODE=token."
            raise GluepotError(f"no Ray cluster lets us in at {self.address or 'this machine'}: {error} {hint}") from error
        try:
            yield ray
        finally:
            ray.shutdown()


def _on_each_machine(ray: Any, function: Callable[..., Any]) -> list[Any]:
    """The function bound to each machine that jobs may run on: those with a GPU, if there are any."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    alive = [node for node in ray.nodes() if node["Alive"]]
    with_gpu = [node for node in alive if node["Resources"].get("GPU")]
    remote = ray.remote(num_cpus=0, num_gpus=1 if with_gpu else 0, max_retries=0)(function)
    return [remote.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)) for node in with_gpu or alive]


def _results(ray: Any, references: Sequence[Any]) -> list[Any]:
    """What the functions gave. Errors meant for people come as they were raised; of a worker that died we know what Ray says."""
    try:
        return list(ray.get(references))
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, GluepotError) else error) from None
    except ray.exceptions.RayError as error:
        raise GluepotError(f"a worker of the Ray cluster was lost. Ray says: {' '.join(str(error).split())}") from error
