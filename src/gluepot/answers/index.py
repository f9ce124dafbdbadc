"""Answers that are the 0-based index of one of the item's options."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from gluepot.answers.form import Answer, describe_option, describe_options, wrong_type
from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task


class Index(Answer):
    """0-based index of one of the item's options."""

    of_options = True

    def read(self, task: Task, example: Example, value: Any) -> int:
        index = _as_index(value, task.labels)
        if index is None:
            raise wrong_type(value, "the number of an option, counted from 0")
        count = len(example.inputs["options"])
        if not 0 <= index < count:
            raise InvalidOutput("unknown-label", f"option {index} is not there.", describe_options(count))
        return index

    def wrong(self, task: Task, example: Example) -> int:
        return -1

    def chance(self, examples: Sequence[Example]) -> float:
        return fmean(1 / max(len(example.inputs["options"]), 1) for example in examples)

    def right_options(self, example: Example) -> set[int]:
        return {example.target}

    def option(self, task: Task, example: Example, number: int) -> int:
        return number

    def position(self, task: Task, output: Any) -> int | None:
        return output if output >= 0 else None

    def tally(self, target: Any) -> tuple[str]:
        """Return the position as a name, since options have none."""
        return (f"option {target + 1}",)

    def format_output(self, example: Example, output: Any) -> list[str]:
        return [describe_option(example, int(output))]


def _as_index(value: Any, letters: list[str]) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        if value in letters:
            return letters.index(value)
        if value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
    return None
