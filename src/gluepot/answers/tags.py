"""Answers with one tag per token."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gluepot.answers.form import Answer, shown, wrong_type
from gluepot.errors import InvalidOutput, nearest
from gluepot.plurals import pluralize
from gluepot.records import Example, Task

if TYPE_CHECKING:
    from gluepot.metrics.sample import Floats


class Tags(Answer):
    """Sequence of tags, one per token."""

    needs = ("labels",)
    per_token = True
    partial = True

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> Any:
        """Parse published tags, accepting lower case."""
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
        """Return a tagging without spans, which gains nothing where gold has some."""
        return ("O",) * len(example.inputs["tokens"])

    def merit(self, target: Any, output: Any) -> float:
        """Return the share of tokens with the correct tag."""
        return sum(g == p for g, p in zip(target, output, strict=True)) / len(target) if target else 0.0

    def choose(self, task: Task, example: Example, shares: "Floats") -> list[str]:
        return [task.labels[best] for best in shares.reshape(-1, len(task.labels)).argmax(axis=1)]

    def decisions(self, example: Example) -> list[str]:
        return list(example.target)

    def tally(self, target: Any) -> Iterable[str]:
        tags: Iterable[str] = target
        return tags

    def format_output(self, example: Example, output: Any) -> list[str]:
        tagged = (f"{token}/{tag}" for token, tag in zip(example.inputs["tokens"], output, strict=False) if tag != "O")
        return [" ".join(tagged) or "no tag"]
