"""Evaluation pipeline of one model: open the run's folder, predict, score, store. Used by `evaluate`, `redo` and other programs."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gluepot.models import ModelName
from gluepot.models.names import record_model
from gluepot.models.precision import PrecisionChoice, resolve_precision
from gluepot.models.precision_probe import FULL, is_known
from gluepot.models.pretrained.hub import check_place, resolve_commit
from gluepot.models.settings import LEDGER, PRICE
from gluepot.records import Suite
from gluepot.runs.evaluation import TIMES, RunScores, predict, save_scores, score_run
from gluepot.runs.prediction.execution.executors import Executor, InProcessExecutor
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import Plan
from gluepot.runs.scores.rescoring import edited, notices_of, path_notices, read_stored
from gluepot.runs.storage.fingerprints import members_of
from gluepot.runs.storage.manifest import make_manifest, open_run, precision_of, read_manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.statistics.bootstrap import RESAMPLES

SPENT = "spent.txt"
"""File in the run's folder that counts paid tokens."""


@dataclass(frozen=True)
class RunRequest:
    """A run to execute, and the folder that stores it."""

    suite: Suite
    model: ModelName
    plan: Plan
    folder: RunFolder
    resume: bool = True
    """Whether to resume an existing run."""
    resamples: int = RESAMPLES
    command: Sequence[str] = ()
    """Command-line arguments, for the manifest."""
    precision: str | None = None
    """Precision of the run being repeated, if any."""
    commit: str | None = None
    """Hub commit of the run being repeated, if any."""
    ledger: Path | None = None
    """File that records spending, where several runs share one."""


class Display(Protocol):
    """Progress display of the jobs."""

    def tick(self) -> None:
        """Refresh the display; called a few times a second."""
        ...

    def job_ended(self, report: JobReport) -> None:
        """Report a finished job."""
        ...


class Observer(Protocol):
    """Observer of a model's evaluation."""

    def warn(self, notices: Iterable[str]) -> None:
        """Show notices on the run's files."""
        ...

    def say(self, line: str) -> None:
        """Report a step of the evaluation."""
        ...

    def watch(self, request: RunRequest) -> AbstractContextManager[Display]:
        """Return the display to show while jobs run."""
        ...


class SilentObserver:
    """Observer and display that show nothing."""

    def warn(self, notices: Iterable[str]) -> None: ...

    def say(self, line: str) -> None: ...

    def tick(self) -> None: ...

    def job_ended(self, report: JobReport) -> None: ...

    @contextmanager
    def watch(self, request: RunRequest) -> Iterator[Display]:
        yield self


def evaluate_model(request: RunRequest, executor: Executor, observer: Observer | None = None) -> RunScores:
    """Open the run's folder, execute the rest of the plan, score, and store. Models passed as live objects run in this process."""
    observer = observer or SilentObserver()
    suite, plan, folder = request.suite, request.plan, request.folder
    executor = InProcessExecutor() if request.model.info.live else executor
    check_place(request.model)
    request = replace(request, model=resolve_commit(request.model, _before(request).commit))
    model, why = resolve_run_precision(request, executor, observer)
    manifest = open_run(folder, make_manifest(plan, suite, model, plan.protocol, request.command, why), resume=request.resume, suite=suite)
    observer.warn([*notices_of(folder, suite, manifest), *(notice for member in members_of(model) for notice in path_notices(member.path))])
    stored, _ = read_stored(folder)
    if model.info.takes(LEDGER):
        model = model.with_setting(LEDGER, str(_ledger(request)))
    with observer.watch(request) as display:
        failed = predict(model, suite, plan, folder, executor, display.tick, display.job_ended)
    scores = score_run(folder, failed, request.resamples, suite)
    observer.warn(edited(folder, stored, scores))
    save_scores(folder, scores)
    observer.say(f"run: {folder.path}")
    if model.info.takes(LEDGER):
        observer.say(f"paid for: {_spent(request)}")
    return scores


def resolve_run_precision(request: RunRequest, executor: Executor, observer: Observer) -> tuple[ModelName, str]:
    """Return the model with its compute precision, and the reason for it; a resumed run retains its own."""

    def choose(wanted: str, device: str) -> PrecisionChoice:
        if wanted != FULL and not is_known(wanted, device):
            observer.say("half precision is tried, once on this machine …")
        return executor.choose_precision(wanted, device)

    model, why = resolve_precision(request.model, _before(request).precision, choose)
    if model.info.tuned:
        observer.say(f"precision: {precision_of(model)} ({why})")
    return model, why


def _before(request: RunRequest) -> RunRequest:
    """Return the request with the precision of the run being resumed, and with its commit if it has the same model."""
    if not request.folder.exists() or not request.folder.has_answers():
        return request
    identity = read_manifest(request.folder, request.suite).identity
    same = identity.model == record_model(request.model)
    return replace(request, precision=identity.precision, commit=identity.commit if same else None)


def _ledger(request: RunRequest) -> Path:
    return (request.ledger or request.folder.path / SPENT).resolve()


def _spent(request: RunRequest) -> str:
    from gluepot.models.api.spending import Spending

    return str(Spending(str(request.model.setting(PRICE) or "0,0"), ledger=_ledger(request)))


def task_seconds(folder: RunFolder) -> dict[str, float]:
    """Return the seconds spent on the jobs of each task, over all seeds."""
    times = folder.read(TIMES, dict[str, float]) if (folder.path / TIMES).is_file() else {}
    seconds: dict[str, float] = {}
    for job, spent in times.items():
        task = job.partition(" seed ")[0]
        seconds[task] = seconds.get(task, 0.0) + spent
    return seconds
