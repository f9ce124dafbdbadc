"""Resumption of a stopped run: the items already answered, and the batches of an uninterrupted run.

Whether a run may be resumed at all is decided in `storage/manifest.py`, `open_run`.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from gluepot.errors import GluepotError, InvalidOutput
from gluepot.models import AdapterInfo
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.prediction.plan import Job
from gluepot.runs.storage.store import AGAIN, RunFolder
from gluepot.tasks import KINDS

MANY = 256
"""Streamed answers that are stored together, however fast they arrive."""
PATIENCE = 1.0
"""Seconds after which streamed answers are stored, however few."""


def answered_before(run: RunFolder, suite: Suite, name: str, job: Job, items: Sequence[Example]) -> int:
    """Return the number of items already answered; they must be the first ones, in order."""
    file = run.predictions(name, job.split, job.seed)
    file.repair()
    found = file.read()
    for number, prediction in enumerate(found):
        if number >= len(items) or prediction.id != items[number].id:
            wanted = f"item {items[number].id}" if number < len(items) else f"one of {pluralize(len(items), 'item')}"
            raise GluepotError(f"{file.path}:{number + 1}: an answer to {prediction.id}, where {wanted} is expected. {AGAIN}")
    try:
        validate_predictions(suite.tasks[name], items[: len(found)], found)
    except GluepotError as error:
        raise GluepotError(f"{file.path}: {error} {AGAIN}") from error
    return len(found)


def batches(info: AdapterInfo, adapter: Any, task: Task, items: Sequence[Example], done: int) -> Iterator[list[Prediction]]:
    if info.streams:
        yield from _as_they_come(adapter.stream(task, items[done:]))
        return
    size = info.batch
    for start in range(done - done % size, len(items), size):  # batches of an uninterrupted run: sums may depend on them in the last digit
        yield adapter.predict(task, items[start : start + size])[max(0, done - start) :]


def _as_they_come(answers: Iterator[Prediction]) -> Iterator[list[Prediction]]:
    """Batch streamed answers by number and by time, which bounds the loss when the process is killed."""
    from time import monotonic

    batch, start = [], monotonic()
    for answer in answers:
        batch.append(answer)
        if len(batch) == MANY or monotonic() - start >= PATIENCE:
            yield batch
            batch, start = [], monotonic()
    if batch:
        yield batch


def _are_numbers(scores: Any) -> bool:
    """Return whether these are valid scores: a stored file with others could not be read again."""
    return scores is None or (isinstance(scores, list) and all(isinstance(one, int | float) and isfinite(one) for one in scores))


def validate_predictions(task: Task, items: Sequence[Example], predictions: Sequence[Prediction]) -> list[Prediction]:
    """Return the predictions if there is a valid one for each item, in order; adapters are not trusted either."""
    answer = KINDS[task.kind].answer
    if [p.id for p in predictions] != [item.id for item in items]:
        raise GluepotError(
            f"{task.path}: the model answered {pluralize(len(predictions), 'item')}, not the {len(items)} it was asked, in order."
        )
    for item, prediction in zip(items, predictions, strict=True):
        if not _are_numbers(prediction.scores):
            raise GluepotError(f"{task.path}, item {item.id}: its scores are not a list of finite numbers.")
        if (prediction.output is None and task.may_skip) or (prediction.said and not prediction.said.read):
            continue  # unreadable output is stored unchanged and counted as wrong
        try:
            answer.read(task, item, prediction.output)
        except InvalidOutput as error:
            raise GluepotError(f"{task.path}, item {item.id}: {error.message} {error.hint}".rstrip()) from error
    return list(predictions)
