"""Which items a model may learn from and be chosen by: the one place that decides it. No item that is answered takes part in a choice."""

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
"""One in so many training items is held out to choose by, where the development items are what is asked."""
LEARNED = "a model may have learned from these very items"
CHOSEN = "chosen on these items: epoch or configuration were picked by the answers to them"


class LearningData(Struct, frozen=True):
    """What a model is shown with answers."""

    train: list[Example]
    dev: list[Example]
    """What it may be chosen by."""


def overlap(first: Task, split: str, other: Task, other_split: str) -> bool:
    """Whether two splits have items in common, whatever they are called; only those that share a file can have."""
    if not (has_split(first, split) and has_split(other, other_split)):
        return False
    if not {*find_files(first, split)[1]} & {*find_files(other, other_split)[1]}:
        return False
    if split_name(first, split) == split_name(other, other_split):
        return True
    # One file may hold several splits, which its reader tells apart.
    shown, asked = ({encode(one.inputs) for one in load_examples(*place)} for place in ((first, split), (other, other_split)))
    return bool(shown & asked)


def asks_dev(suite: Suite, job: Job) -> bool:
    """Whether a job answers development items: its own task's, even if only a diagnostic of it is asked."""
    learned = suite.tasks[job.learns]
    return any(overlap(learned, DEV, task, job.split) for task in (learned, *(suite.tasks[name] for name in job.answers)))


def choosing_split(suite: Suite, job: Job) -> str:
    """The split whose items a trained model is chosen by: development data, or a part of the training data where that is asked."""
    return TRAIN if asks_dev(suite, job) else DEV


def learning_data(suite: Suite, job: Job, limit: int | None = None, *, chooses: bool) -> LearningData:
    """Training and development data with answers, as the protocol takes them; `chooses` if the model is chosen by the latter."""
    task = suite.tasks[job.learns]
    train, dev = _with_answers(task, TRAIN), _with_answers(task, DEV)
    if asks_dev(suite, job):
        train, dev = hold_out(task, train) if chooses else (train, [])
    if job.resampled and train:
        train, dev = resample(train, dev, job.seed)
    return LearningData(train[:limit], dev[:limit])


def hold_out(task: Task, train: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """The training data in two: what is learned from, and a tenth to choose by, the same for all models; groups stay together."""
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


def why_unfit(suite: Suite, task: Task, split: str, chosen_on: str | None) -> str:
    """Why answers to a split may not rank: it is the one that models learn from, or the one that this model was chosen on."""
    learned = suite.tasks[task.trained_on or task.name]
    if overlap(learned, TRAIN, task, split):
        return LEARNED
    return CHOSEN if chosen_on == DEV and overlap(learned, DEV, task, split) else ""


def _with_answers(task: Task, split: str) -> list[Example]:
    return [example for example in load_examples(task, split) if example.target is not None] if has_split(task, split) else []
