"""Prediction stage: one job, from examples to a file of predictions, batch by batch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError
from gluepot.models import Adapter, AdapterInfo, CannotSolve, ModelName, libraries_of, make_adapter
from gluepot.plurals import pluralize
from gluepot.records import Example, Suite, Task
from gluepot.runs.prediction.model_selection.holdout import learning_data
from gluepot.runs.prediction.model_selection.search import finish, note_cut, take_best, tune, was_pruned
from gluepot.runs.prediction.plan import Job
from gluepot.runs.prediction.resuming import answered_before, batches, validate_predictions
from gluepot.runs.prediction.shots import asked_texts
from gluepot.runs.storage.store import PredictionFile, RunFolder
from gluepot.tasks import KINDS


class JobReport(Struct, frozen=True):
    """Outcome of a job: seconds spent, items newly answered, and the tasks it could not answer."""

    job: str
    seconds: float
    answered: int
    failed: dict[str, str] = {}
    """Maps a task to the reason."""
    unknown: int = 0
    """Items that were only guessed, because the model knows none of their words."""
    trial: bool = False


def run_job(model: ModelName, job: Job, suite: Suite, folder: Path, limit: int | None = None) -> JobReport:
    """Answer the items that have no answer yet. Safe to repeat: a finished job only reads its files."""
    with libraries_of(model.info):  # some are imported only with the first text
        return _run_job(model, job, suite, folder, limit)


def _run_job(model: ModelName, job: Job, suite: Suite, folder: Path, limit: int | None) -> JobReport:
    from time import perf_counter

    start, run, info = perf_counter(), RunFolder(job.place(folder)), model.info
    todo = {}
    for name in job.answers:
        items = load_examples(suite.tasks[name], job.split)[:limit]
        done = answered_before(run, suite, name, job, items)
        if done < len(items):
            todo[name] = (items, done)
    if not todo or was_pruned(run, job):
        return JobReport(job.name, 0.0, 0, trial=job.trial is not None)
    answered, failed = 0, {}
    try:
        if job.trials:
            answered = take_best(job, folder)
            return JobReport(job.name, perf_counter() - start, answered)
        adapter = fitted_adapter(model, suite, job, folder, limit)
    except CannotSolve as error:
        return JobReport(job.name, perf_counter() - start, 0, dict.fromkeys(todo, str(error)), trial=job.trial is not None)
    if info.tuned:
        note_cut(adapter, suite, job, folder, limit)
    for name, (items, done) in {} if was_pruned(run, job) else todo.items():
        try:
            answered += _answer(info, adapter, suite.tasks[name], items, done, run.predictions(name, job.split, job.seed))
        except CannotSolve as error:
            failed[name] = str(error)
    if info.tuned:
        finish(adapter, suite, job, model, folder, limit)
    return JobReport(job.name, perf_counter() - start, answered, failed, getattr(adapter, "unknown", 0), job.trial is not None)


def fitted_adapter(model: ModelName, suite: Suite, job: Job, folder: Path, limit: int | None) -> Any:
    """Return the adapter after it has learned the job's task in the way it declares."""
    if model.info.tuned:
        return tune(model, suite, job, folder, limit)
    adapter, task = make_adapter(model, job.seed, suite=suite, split=job.split), suite.tasks[job.learns]
    if model.info.draws_shots:  # includes its own bootstrap of the training data, for its shots
        adapter.avoid(asked_texts(suite, task, job.split))
        job = replace(job, resampled=False)
    data = learning_data(suite, job, chooses=False)
    adapter.fit(task, data.train, data.dev)
    return adapter


def _answer(info: AdapterInfo, adapter: Adapter, task: Task, items: Sequence[Example], done: int, file: PredictionFile) -> int:
    """Answer the items after the first `done`; return their number."""
    hidden = [question_of(task, item) for item in items]
    now = done
    for predictions in batches(info, adapter, task, hidden, done):
        file.append(validate_predictions(task, hidden[now : now + len(predictions)], predictions))
        now += len(predictions)
    if now != len(items):
        raise GluepotError(f"{task.path}: the model answered {now:,} of {pluralize(len(items), 'item')}.")
    return now - done


def question_of(task: Task, example: Example) -> Example:
    """Return the item without anything that reveals its answer."""
    revealing = KINDS[task.kind].revealing
    inputs = {name: value for name, value in example.inputs.items() if name not in revealing}
    return Example(example.id, inputs, None, example.group)
