"""Few-shot examples of a task: from its training data, or development data if it has none, never from the evaluated items."""

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.models.prompts.shots import draw_shots, known_texts
from gluepot.records import Example, Suite, Task


def family(suite: Suite, task: Task) -> list[Task]:
    """Return the task that shots are drawn from, and all diagnostics that share its shots."""
    source = suite.tasks[task.trained_on] if task.trained_on else task
    return [source, *(other for other in suite.tasks.values() if other.trained_on == source.name)]


def asked_texts(suite: Suite, task: Task, split: str) -> set[tuple[str, ...]]:
    """Return the texts of all evaluated items, and of the test set in any case: no shot may share one of them.

    They cover the whole family, so that a task's shots do not depend on the other tasks of the run.
    """
    places = [(one, name) for one in family(suite, task) for name in dict.fromkeys((split, "test")) if has_split(one, name)]
    return {text for one, name in places for example in load_examples(one, name) for text in known_texts(one, example)}


def shot_data(task: Task) -> list[Example]:
    """Return the labelled examples to draw from."""
    for split in ("train", "dev"):
        known = [e for e in load_examples(task, split) if e.target is not None] if has_split(task, split) else []
        if known:
            return known
    return []


def shots_for(suite: Suite, task: Task, split: str, count: int, iteration: int) -> list[Example]:
    """Return the shots of an iteration; a diagnostic has those of the task that it is trained on."""
    source = family(suite, task)[0]
    return draw_shots(source, shot_data(source), count, iteration, asked_texts(suite, task, split))
