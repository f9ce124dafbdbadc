"""Answers that are one of the task's labels."""

from collections import Counter
from collections.abc import Sequence
from sys import intern
from typing import Any

from gluepot.answers.form import Answer, shown, wrong_type
from gluepot.errors import InvalidOutput, nearest
from gluepot.metrics import INVALID
from gluepot.records import Example, Task


class Label(Answer):
    """Label of the task."""

    needs = ("labels",)

    def read(self, task: Task, example: Example, value: Any) -> str:
        if isinstance(value, str) and value in task.labels:
            return intern(value)  # one object per label: faster to compare and count
        text = _as_label(value)
        if text is None:
            raise wrong_type(value, f"one of {', '.join(task.labels)}")
        if task.boolean:
            text = text.lower()
        if text not in task.labels:
            guess = nearest(text, task.labels)
            hint = f"Did you mean {guess!r}?" if guess else f"Labels: {', '.join(task.labels)}."
            raise InvalidOutput("unknown-label", f"{shown(text)} is not a label of this task.", hint)
        return text

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> str:
        if isinstance(value, str) and value in task.labels:  # the common case, without creating the example that `read` takes
            return intern(value)
        return self.read(task, Example("", inputs), value)

    def wrong(self, task: Task, example: Example) -> str:
        return INVALID

    def constant(self, targets: Sequence[Any]) -> str:
        """Return the most frequent label."""
        return str(Counter(targets).most_common(1)[0][0])

    def chance(self, examples: Sequence[Example]) -> float:
        """Return the probability of one of the labels that occur."""
        return 1 / max(len({example.target for example in examples}), 1)

    def position(self, task: Task, output: Any) -> int | None:
        return task.labels.index(output) if output in task.labels else None

    def tally(self, target: Any) -> tuple[str]:
        return (target,)


def _as_label(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) else None
