"""Executors: local processes or a Ray cluster, with identical files and numbers."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import clear_frames
from typing import Any, Protocol

from gluepot.data.folders import find_files, has_split
from gluepot.errors import TERMINATED, GluepotError
from gluepot.models import ModelName
from gluepot.models.precision import PrecisionChoice, choose, common_choice
from gluepot.models.precision_probe import AUTO, FULL
from gluepot.records import Suite, Task
from gluepot.registry import Registry
from gluepot.runs.prediction.execution import crashes
from gluepot.runs.prediction.execution.workers import Tick, WorkerDied, WorkerPool, exit_on_sigterm
from gluepot.runs.prediction.jobs import JobReport, run_job
from gluepot.runs.prediction.plan import Job, Plan
from gluepot.tasks import KINDS

ATTEMPTS = 3
"""Attempts at a job whose process dies."""
OPTIONS = 4
"""Approximate number of options of an item that has options."""


class Executor(Protocol):
    """Runs all jobs of a plan, wave by wave, and yields their reports as they finish.

    Processes and clusters persist from one wave to the next: a worker that has loaded its libraries need not do so again.
    """

    def choose_precision(self, wanted: str, device: str = AUTO) -> PrecisionChoice:
        """Return the precision that works where the jobs will run."""
        ...

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]: ...


EXECUTORS: Registry[Callable[..., Executor]] = Registry("place to run")


def _run_job(model: ModelName, job: Job, suite: Suite, folder: Path, limit: int | None) -> JobReport:
    """Run the job, and exit the process if it is terminated: the pool would take that for a result and submit the next job."""
    try:
        with exit_on_sigterm():
            return run_job(model, job, suite, folder, limit)
    except SystemExit as told:
        clear_frames(told.__traceback__)  # closes the job's open resources, such as a program
        os._exit(TERMINATED)


@EXECUTORS.register("local")
class LocalExecutor:
    """Local processes, `jobs` at a time."""

    def __init__(self, jobs: int = 1, address: str | None = None) -> None:
        if address:
            raise GluepotError("--address goes with --on ray.")
        self.jobs = jobs

    def choose_precision(self, wanted: str, device: str = AUTO) -> PrecisionChoice:
        return choose(wanted, device)

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]:
        with WorkerPool(self.jobs) as pool:
            for wave in plan.waves:
                yield from self._wave(wave, model, suite, folder, tick, pool)

    def _wave(self, wave: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick, pool: WorkerPool) -> Iterator[JobReport]:
        waiting = dict.fromkeys(wave.jobs, 0)
        while waiting:
            try:
                work = {job: (_run_job, model, job, suite, folder, wave.limit) for job in heaviest_first(list(waiting), suite)}
                for job, report in pool.run(work, tick):
                    del waiting[job]
                    yield report
            except WorkerDied as died:
                waiting = {job: attempts + 1 for job, attempts in waiting.items()}
                if (attempts := max(waiting.values())) >= ATTEMPTS or crashes.hopeless(died.code):
                    raise GluepotError(self._told(died.code, attempts, list(waiting), model)) from died

    def _told(self, code: int | None, attempts: int, jobs: list[Job], model: ModelName) -> str:
        times = f" {attempts} times" if attempts > 1 else ""
        names = ", ".join(job.name for job in jobs)
        return f"a worker {crashes.describe_exit(code)}{times}; not done: {names}. {crashes.hint(code, model, self.jobs)}".rstrip()


def heaviest_first(jobs: list[Job], suite: Suite) -> list[Job]:
    """Sort jobs by the size of their files, largest first: a long one that starts last keeps only one process busy."""
    return sorted(jobs, key=lambda job: _weight(job, suite), reverse=True)


def _weight(job: Job, suite: Suite) -> int:
    wanted = [(suite.tasks[job.learns], "train"), *((suite.tasks[name], job.split) for name in job.answers)]
    return sum(_size(task, split) for task, split in wanted if has_split(task, split))


def _size(task: Task, split: str) -> int:
    """Return the size in bytes, multiplied where each option of an item is scored separately."""
    times = OPTIONS if "options" in KINDS[task.kind].inputs else 1
    return times * sum(path.stat().st_size for path in find_files(task, split)[1])


class InProcessExecutor:
    """Executor in the current process, one job after the other, for models passed as live objects."""

    def choose_precision(self, wanted: str, device: str = AUTO) -> PrecisionChoice:
        return choose(wanted, device)

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]:
        for job in (job for wave in plan.waves for job in wave.jobs):
            tick()
            yield run_job(model, job, suite, folder, plan.limit)


@EXECUTORS.register("ray")
class RayExecutor:
    """Executor on a Ray cluster: a local one, or the one at `address`. The run's folder must be visible to all machines."""

    def __init__(self, jobs: int = 0, address: str | None = None) -> None:
        self.jobs, self.address = jobs, address

    def choose_precision(self, wanted: str, device: str = AUTO) -> PrecisionChoice:
        """Return a precision that every machine of a remote cluster supports: a job may run on any of them."""
        if not self.address or wanted == FULL:
            return choose(wanted, device)
        with self._cluster() as ray:
            return common_choice(_results(ray, [ask.remote(wanted, device) for ask in _on_each_machine(ray, choose)]))

    def __call__(self, plan: Plan, model: ModelName, suite: Suite, folder: Path, tick: Tick) -> Iterator[JobReport]:
        with self._cluster() as ray:
            gpus = 1 if model.info.tuned and ray.cluster_resources().get("GPU") else 0  # Ray hides GPUs from jobs that do not request one
            remote = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=ATTEMPTS)(run_job)
            shared = ray.put(suite)  # once for all jobs
            for wave in plan.waves:
                pending = [remote.remote(model, job, shared, folder.resolve(), plan.limit) for job in heaviest_first(wave.jobs, suite)]
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
    """Bind the function to each machine that jobs may run on: those with a GPU, if there are any."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    alive = [node for node in ray.nodes() if node["Alive"]]
    with_gpu = [node for node in alive if node["Resources"].get("GPU")]
    remote = ray.remote(num_cpus=0, num_gpus=1 if with_gpu else 0, max_retries=0)(function)
    return [remote.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)) for node in with_gpu or alive]


def _results(ray: Any, references: Sequence[Any]) -> list[Any]:
    """Return the functions' results. User-facing errors are re-raised unchanged; the loss of a worker is reported with Ray's message."""
    try:
        return list(ray.get(references))
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, GluepotError) else error) from None
    except ray.exceptions.RayError as error:
        raise GluepotError(f"a worker of the Ray cluster was lost. Ray says: {' '.join(str(error).split())}") from error
