"""The 0-based numbers of all right options of an item."""

from typing import Any

from gluepot.answers.form import Answer, options_in_words, shown, wrong_type
from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task


class IndexSet(Answer):
    """The 0-based numbers of all right options, possibly none."""

    def read(self, task: Task, example: Example, value: Any) -> frozenset[int]:
        if not isinstance(value, list | tuple | set | frozenset):
            raise wrong_type(value, "a list of option numbers, counted from 0")
        count = len(example.inputs["options"])
        for index in value:
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
                raise InvalidOutput("unknown-label", f"{shown(index)} is not an option.", options_in_words(count))
        return frozenset(value)

    def wrong(self, task: Task, example: Example) -> frozenset[int]:
        right: frozenset[int] = example.target
        return frozenset(range(len(example.inputs["options"]))) - right
