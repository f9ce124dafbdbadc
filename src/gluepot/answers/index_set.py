"""Answers that are the 0-based indices of all correct options of an item."""

from typing import TYPE_CHECKING, Any

from gluepot.answers.form import Answer, describe_option, describe_options, shown, wrong_type
from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task

if TYPE_CHECKING:
    from gluepot.metrics.sample import Floats


class IndexSet(Answer):
    """0-based indices of all correct options, possibly none."""

    of_options = True
    per_option = True

    def read(self, task: Task, example: Example, value: Any) -> frozenset[int]:
        if not isinstance(value, list | tuple | set | frozenset):
            raise wrong_type(value, "a list of option numbers, counted from 0")
        count = len(example.inputs["options"])
        for index in value:
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
                raise InvalidOutput("unknown-label", f"{shown(index)} is not an option.", describe_options(count))
        return frozenset(value)

    def from_json(self, output: Any) -> frozenset[int]:
        return frozenset(output)

    def wrong(self, task: Task, example: Example) -> frozenset[int]:
        right: frozenset[int] = example.target
        return frozenset(range(len(example.inputs["options"]))) - right

    def right_options(self, example: Example) -> frozenset[int]:
        right: frozenset[int] = example.target
        return right

    def choose(self, task: Task, example: Example, shares: "Floats") -> list[int]:
        return [number for number, share in enumerate(shares) if share > 0.5]

    def decisions(self, example: Example) -> list[bool]:
        """Return whether each option is correct."""
        return [number in example.target for number in range(len(example.inputs["options"]))]

    def format_output(self, example: Example, output: Any) -> list[str]:
        return [describe_option(example, number) for number in sorted(output)] or ["none of them"]
