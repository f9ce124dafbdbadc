"""Free-text answers: a string scored by word overlap, a single word, a summary."""

from typing import Any, ClassVar

from gluepot.answers.form import Answer, wrong_type
from gluepot.errors import InvalidOutput
from gluepot.metrics import INVALID, METRICS
from gluepot.plurals import pluralize
from gluepot.records import Example, Task

LONGEST_TEXT = 20_000


class Text(Answer):
    """String; gold may have several accepted ones."""

    partial = True
    free = True
    overlap: ClassVar[str] = "token-f1"
    """Metric that scores partly right answers."""

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

    def accepted(self, target: Any) -> tuple[str, ...]:
        return (target,) if isinstance(target, str) else tuple(target)

    def merit(self, target: Any, output: Any) -> float:
        return METRICS[self.overlap]([target], [output])

    def format_output(self, example: Example, output: Any) -> list[str]:
        return [" / ".join(self.accepted(output))]


class Word(Text):
    """Single word or name, right or wrong as a whole."""

    partial = False

    def merit(self, target: Any, output: Any) -> float:
        return Answer.merit(self, target, output)


class Summary(Text):
    """Summary of a few sentences."""

    multiline = True
    overlap = "rouge-1"
