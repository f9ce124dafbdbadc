"""The stage that predicts: one job, from examples to a file of predictions, a batch at a time."""

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.errors import GluepotError, InvalidOutput
from gluepot.models import ADAPTERS, Adapter, CannotSolve, ModelName, Streaming, make_adapter
from gluepot.models.prompted import Prompted
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.prediction.ensemble import Ensemble
from gluepot.runs.prediction.imported import Imported
from gluepot.runs.prediction.plan import Job
from gluepot.runs.prediction.search import Tuned, finish, given_up, learning_data, note_cut, take_best, tune
from gluepot.runs.prediction.shots import asked_texts
from gluepot.runs.storage.store import AGAIN, RunFolder
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

BATCH = 256
PATIENCE = 1.0
"""Seconds after which streamed answers are stored, however few."""


class JobReport(Struct, frozen=True):
    """What became of a job: seconds spent, items answered now, and the tasks it could not answer."""

    job: str
    seconds: float
    answered: int
    failed: dict[str, str] = {}
    """Task to the reason."""
    unknown: int = 0
    """Items that were only guessed, because the model knows none of their words."""
    trial: bool = False


def run_job(model: ModelName, job: Job, folder: Path, limit: int | None = None) -> JobReport:
    """Answer what is not answered yet. Safe to repeat: a finished job costs only the look."""
    from time import perf_counter

    start = perf_counter()
    suite, run = load_suite(job.suite), RunFolder(job.place(folder))
    todo = {}
    for name in job.answers:
        items = load_examples(suite.tasks[name], job.split)[:limit]
        done = _check_prefix(run, suite, name, job, items)
        if done < len(items):
            todo[name] = (items, done)
    if not todo or given_up(run, job):
        return JobReport(job.name, 0.0, 0, trial=job.trial is not None)
    answered, failed = 0, {}
    try:
        if job.trials:
            answered = take_best(job, folder)
            return JobReport(job.name, perf_counter() - start, answered)
        adapter = _fitted(model, suite, job, folder, limit)
    except CannotSolve as error:
        return JobReport(job.name, perf_counter() - start, 0, dict.fromkeys(todo, str(error)), trial=job.trial is not None)
    if isinstance(adapter, Tuned):
        note_cut(adapter, suite, job, folder, limit)
    for name, (items, done) in {} if given_up(run, job) else todo.items():
        try:
            answered += _answer(adapter, suite.tasks[name], items, done, run, job)
        except CannotSolve as error:
            failed[name] = str(error)
    if isinstance(adapter, Tuned):
        finish(adapter, suite, job, model, limit)
    return JobReport(job.name, perf_counter() - start, answered, failed, getattr(adapter, "unknown", 0), job.trial is not None)


def _check_prefix(run: RunFolder, suite: Suite, name: str, job: Job, items: Sequence[Example]) -> int:
    """How many items are answered already; they must be the first ones, in order."""
    file = run.predictions(name, job.split, job.seed)
    file.repair()
    found = file.read()
    for number, prediction in enumerate(found):
        if number >= len(items) or prediction.id != items[number].id:
            wanted = f"item {items[number].id}" if number < len(items) else f"one of {pluralize(len(items), 'item')}"
            raise GluepotError(f"{file.path}:{number + 1}: an answer to {prediction.id}, where {wanted} is expected. {AGAIN}")
    try:
        checked(suite.tasks[name], items[: len(found)], found)
    except GluepotError as error:
        raise GluepotError(f"{file.path}: {error} {AGAIN}") from error
    return len(found)


def _fitted(model: ModelName, suite: Suite, job: Job, folder: Path, limit: int | None) -> Adapter:
    if model.adapter == "predictions":
        adapter: Adapter = Imported(model.argument, job.split)
    elif model.adapter == "ensemble":
        adapter = Ensemble(model.argument, job.split)
    elif ADAPTERS[model.adapter].tuned:
        return tune(model, suite, job, folder, limit)
    else:
        adapter = make_adapter(model, job.seed)
    if isinstance(adapter, Prompted):  # it draws its own bootstrap of the training data, for its shots
        adapter.avoid(asked_texts(suite, suite.tasks[job.learns], job.split))
        job = replace(job, resampled=False)
    adapter.fit(suite.tasks[job.learns], *learning_data(suite.tasks[job.learns], job))
    return adapter


def _answer(adapter: Adapter, task: Task, items: Sequence[Example], done: int, run: RunFolder, job: Job) -> int:
    """Answer the items after the first `done`."""
    file = run.predictions(task.name, job.split, job.seed)
    hidden = [_question(task, item) for item in items]
    now = done
    for predictions in _batches(adapter, task, hidden, done):
        file.append(checked(task, hidden[now : now + len(predictions)], predictions))
        now += len(predictions)
    if now != len(items):
        raise GluepotError(f"{task.path}: the model answered {now:,} of {pluralize(len(items), 'item')}.")
    return now - done


def _batches(adapter: Adapter, task: Task, items: Sequence[Example], done: int) -> Iterator[list[Prediction]]:
    if isinstance(adapter, Streaming):
        yield from _as_they_come(adapter.stream(task, items[done:]))
        return
    size = getattr(adapter, "batch", BATCH)
    for start in range(done - done % size, len(items), size):  # the batches of an undisturbed run: sums may hang on them in the last digit
        yield adapter.predict(task, items[start : start + size])[max(0, done - start) :]


def _as_they_come(answers: Iterator[Prediction]) -> Iterator[list[Prediction]]:
    """Answers of a fast model by the batch, those of a slow one by the second: that much a kill may cost."""
    from time import monotonic

    batch, start = [], monotonic()
    for answer in answers:
        batch.append(answer)
        if len(batch) == BATCH or monotonic() - start >= PATIENCE:
            yield batch
            batch, start = [], monotonic()
    if batch:
        yield batch


def _question(task: Task, example: Example) -> Example:
    """The item without anything that gives its answer away."""
    revealing = KINDS[task.kind].revealing
    inputs = {name: value for name, value in example.inputs.items() if name not in revealing}
    return Example(example.id, inputs, None, example.group)


def _are_numbers(scores: Any) -> bool:
    """Whether these can be scores: a stored file with others could not be read again."""
    return scores is None or (isinstance(scores, list) and all(isinstance(one, int | float) and isfinite(one) for one in scores))


def checked(task: Task, items: Sequence[Example], predictions: Sequence[Prediction]) -> list[Prediction]:
    """The predictions, if there is a legal one for each item in order; adapters are not trusted either."""
    answer = KINDS[task.kind].answer
    if [p.id for p in predictions] != [item.id for item in items]:
        raise GluepotError(
            f"{task.path}: the model answered {pluralize(len(predictions), 'item')}, not the {len(items)} it was asked, in order."
        )
    for item, prediction in zip(items, predictions, strict=True):
        if not _are_numbers(prediction.scores):
            raise GluepotError(f"{task.path}, item {item.id}: its scores are not a list of finite numbers.")
        if (prediction.output is None and task.may_skip) or (prediction.said and not prediction.said.read):
            continue  # what could not be read is kept as it is, and counted as wrong
        try:
            answer.read(task, item, prediction.output)
        except InvalidOutput as error:
            raise GluepotError(f"{task.path}, item {item.id}: {error.message} {error.hint}".rstrip()) from error
    return list(predictions)
