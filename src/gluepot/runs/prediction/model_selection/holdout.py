"""Items that a model may learn from and be selected by, decided only here. No evaluated item takes part in a selection."""

from collections.abc import Hashable, Sequence

from msgspec import Struct
from msgspec.json import encode

from gluepot.data.examples import load_examples
from gluepot.data.folders import find_files, has_split, split_name
from gluepot.records import Example, Suite, Task
from gluepot.runs.prediction.model_selection.bootstraps import resample
from gluepot.runs.prediction.plan import Job
from gluepot.statistics.bootstrap import generator

TRAIN, DEV = "train", "dev"
SHARE = 10
"""One in this many training items is held out for selection, where the development items are evaluated."""
LEARNED = "a model may have learned from these very items"
CHOSEN = "chosen on these items: epoch or configuration were picked by the answers to them"


class LearningData(Struct, frozen=True):
    """Labelled examples that a model learns from and is selected by."""

    train: list[Example]
    dev: list[Example]
    """Examples for model selection."""


def overlap(first: Task, split: str, other: Task, other_split: str) -> bool:
    """Return whether two splits share items, whatever their names; only splits that share a file can."""
    if not (has_split(first, split) and has_split(other, other_split)):
        return False
    if not {*find_files(first, split)[1]} & {*find_files(other, other_split)[1]}:
        return False
    if split_name(first, split) == split_name(other, other_split):
        return True
    # One file may hold several splits, which its reader separates.
    shown, asked = ({encode(one.inputs) for one in load_examples(*place)} for place in ((first, split), (other, other_split)))
    return bool(shown & asked)


def asks_dev(suite: Suite, job: Job) -> bool:
    """Return whether the job's split has development items of the learned task, even if the job only answers a diagnostic of it."""
    learned = suite.tasks[job.learns]
    return any(overlap(learned, DEV, task, job.split) for task in (learned, *(suite.tasks[name] for name in job.answers)))


def choosing_split(suite: Suite, job: Job) -> str:
    """Return the split for selecting a trained model: development data, or a part of the training data if development data is evaluated."""
    return TRAIN if asks_dev(suite, job) else DEV


def learning_data(suite: Suite, job: Job, limit: int | None = None, *, chooses: bool) -> LearningData:
    """Return training and development data with answers, as the protocol uses them; `chooses` if the latter selects the model."""
    task = suite.tasks[job.learns]
    train, dev = _with_answers(task, TRAIN), _with_answers(task, DEV)
    if asks_dev(suite, job):
        train, dev = hold_out(task, train) if chooses else (train, [])
    if job.resampled and train:
        train, dev = resample(train, dev, job.seed)
    return LearningData(train[:limit], dev[:limit])


def hold_out(task: Task, train: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Split the training data into a part to learn from and a tenth for selection, the same for all models; groups stay together."""
    groups: dict[Hashable, list[int]] = {}
    for number, example in enumerate(train):
        groups.setdefault(number if example.group is None else f"group {example.group}", []).append(number)
    if len(groups) < 2:
        return list(train), []
    own = list(groups.values())
    order = generator("held out", task.path).permutation(len(own))
    held: set[int] = set()
    for place in order[:-1].tolist():
        held.update(own[place])
        if len(held) * SHARE >= len(train):
            break
    return [one for n, one in enumerate(train) if n not in held], [one for n, one in enumerate(train) if n in held]


def ineligibility_reason(suite: Suite, task: Task, split: str, chosen_on: str | None) -> str:
    """Return why answers to a split must not be ranked: models learn from it, or this model was selected on it; empty if they may be."""
    learned = suite.tasks[task.trained_on or task.name]
    if overlap(learned, TRAIN, task, split):
        return LEARNED
    return CHOSEN if chosen_on == DEV and overlap(learned, DEV, task, split) else ""


def _with_answers(task: Task, split: str) -> list[Example]:
    return [example for example in load_examples(task, split) if example.target is not None] if has_split(task, split) else []
