"""A string; gold may be several accepted ones."""

from typing import Any

from gluepot.answers.form import Answer, wrong_type
from gluepot.errors import InvalidOutput
from gluepot.metrics import INVALID
from gluepot.plurals import pluralize
from gluepot.records import Example, Task

LONGEST_TEXT = 20_000


class Text(Answer):
    """A string; gold may be several accepted ones."""

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        if isinstance(value, list | tuple):
            return tuple(dict.fromkeys(str(v) for v in value))
        return Text.read(self, task, Example("", inputs), value)

    def read(self, task: Task, example: Example, value: Any) -> str:
        if not isinstance(value, str):
            raise wrong_type(value, "a string")
        if len(value) > LONGEST_TEXT:
            raise InvalidOutput("too-long", f"an answer of {pluralize(len(value), 'character')}.", f"At most {LONGEST_TEXT:,} are taken.")
        return value

    def wrong(self, task: Task, example: Example) -> str:
        return INVALID
