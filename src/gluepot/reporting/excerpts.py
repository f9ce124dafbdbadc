"""Items and answers as a report shows them: shortened, and in words if an answer is the number of an option."""

from typing import Any

from gluepot.metrics import INVALID
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

LONGEST, LONGEST_ANSWER = 200, 80
WORDS = 2
"""Texts of at most this many words are compared as words, and share one line."""
_BESIDE = ("word", "first", "second")
"""Short inputs that the question about a text refers to."""


def excerpt(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut to a maximum length.

    >>> excerpt("to be or\\nnot to be", 9)
    'to be or…'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def item_text(task: Task, example: Example) -> list[str]:
    """Return the texts of an item, which share the available length."""
    texts = [_running(example.inputs[name]) for name in KINDS[task.kind].texts if example.inputs.get(name)]
    short = [str(example.inputs[name]) for name in _BESIDE if name in example.inputs and name not in KINDS[task.kind].texts]
    cut = [excerpt(text, max(LONGEST // max(len(texts), 1), 60)) for text in texts]
    if all(len(text.split()) <= WORDS for text in cut):
        cut = [" · ".join(cut)]
    return [*cut, *([excerpt(" / ".join(short), LONGEST_ANSWER)] if short else [])]


def _running(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def answer_text(task: Task, example: Example, output: Any) -> str:
    """Return an answer in the task's form, in words."""
    if output is None:
        return "left out"
    if output == INVALID:
        return "(no label)"
    parts = KINDS[task.kind].answer.format_output(example, output)
    return excerpt("; ".join(excerpt(part, LONGEST_ANSWER) for part in parts), LONGEST_ANSWER)
