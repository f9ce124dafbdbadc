"""One tag a token."""

from typing import Any

from gluepot.answers.form import Answer, shown, wrong_type
from gluepot.errors import InvalidOutput, nearest
from gluepot.plurals import pluralize
from gluepot.records import Example, Task


class Tags(Answer):
    """One tag a token."""

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        """Published tags in either case."""
        known = set(task.labels)
        return super().gold(task, [tag if tag in known else str(tag).upper() for tag in value], inputs)

    def read(self, task: Task, example: Example, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(issubclass(kind, str) for kind in set(map(type, value))):
            raise wrong_type(value, "a list of tags")
        tokens = len(example.inputs["tokens"])
        if len(value) != tokens:
            raise InvalidOutput(
                "count-mismatch", f"{pluralize(len(value), 'tag')} for {pluralize(tokens, 'token')}.", "Give one tag a token, in order."
            )
        if strange := set(value).difference(task.labels):
            tag = next(tag for tag in value if tag in strange)
            guess = nearest(tag, task.labels)
            raise InvalidOutput("unknown-label", f"{shown(tag)} is not a tag of this task.", f"Did you mean {guess!r}?" if guess else "")
        return tuple(value)

    def wrong(self, task: Task, example: Example) -> tuple[str, ...]:
        """No span found: what an unreadable tagging amounts to, and nothing to gain where there is one."""
        return ("O",) * len(example.inputs["tokens"])
