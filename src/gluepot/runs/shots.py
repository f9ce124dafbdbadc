"""Where a task's few-shot examples come from: its training data, or development data where there is none, never what is asked."""

from collections.abc import Iterable

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.models.prompts.shots import draw_shots, text_key
from gluepot.records import Example, Suite, Task


def texts_of(task: Task, split: str) -> set[tuple[str, ...]]:
    """The texts of all items that are asked, and of the test set in any case."""
    splits = [name for name in dict.fromkeys((split, "test")) if has_split(task, name)]
    return {text_key(task, example) for name in splits for example in load_examples(task, name)}


def shot_data(task: Task) -> list[Example]:
    """Examples with answers to draw from."""
    for split in ("train", "dev"):
        known = [e for e in load_examples(task, split) if e.target is not None] if has_split(task, split) else []
        if known:
            return known
    return []


def shots_for(suite: Suite, task: Task, split: str, count: int, iteration: int) -> list[Example]:
    """The shots of an iteration; a diagnostic has those of the task that it is trained on."""
    source = suite.tasks[task.trained_on] if task.trained_on else task
    return draw_shots(source, shot_data(source), count, iteration, texts_of(task, split))


def all_texts(tasks: Iterable[Task], split: str) -> set[tuple[str, ...]]:
    """The texts that no shot of a job may have, whichever of its tasks they belong to."""
    return {text for task in tasks for text in texts_of(task, split)}
