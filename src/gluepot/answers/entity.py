"""Entities of a passage as answers."""

from typing import Any

from gluepot.answers.form import shown
from gluepot.answers.text import Text
from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task


class Entity(Text):
    """Entity of the passage, in any inflected form. Several are invalid, since token overlap would reward naming them all."""

    of_options = True

    def read(self, task: Task, example: Example, value: Any) -> str:
        text = super().read(task, example, value)
        if _names_several(text, example.inputs):
            raise InvalidOutput("several-options", f"{shown(text)} names several of the options.", "Answer with one of them.")
        return text

    def right_options(self, example: Example) -> set[int]:
        accepted = self.accepted(example.target)
        return {number for number, entity in enumerate(example.inputs["options"]) if entity in accepted}

    def decisions(self, example: Example) -> list[int]:
        """Return the positions of the correct entities."""
        return sorted(self.right_options(example))


def _names_several(text: str, inputs: dict[str, Any]) -> bool:
    """Whether an answer has distinct words of two options, and as a whole is neither an option nor in the passage."""
    from gluepot.metrics.answers import normalise

    answer = normalise(text).split()
    options = {tuple(normalise(option).split()) for option in inputs["options"]}
    if tuple(answer) in options:
        return False
    given = set(answer)
    shared = {words for option in options if (words := frozenset(given.intersection(option)))}
    if all(words <= max(shared, key=len) for words in shared):
        return False
    return len(_spelled_out(options, answer)) > 1 or not _is_within(answer, normalise(inputs["context"]).split())


def _spelled_out(options: set[tuple[str, ...]], answer: list[str]) -> list[tuple[str, ...]]:
    """Return the options contained in full in the answer, except those that are part of another one."""
    named = [option for option in options if option and _is_within(option, answer)]
    return [option for option in named if not any(option != other and _is_within(option, other) for other in named)]


def _is_within(part: tuple[str, ...] | list[str], whole: tuple[str, ...] | list[str]) -> bool:
    """Whether words occur as a contiguous sequence in others."""
    return f" {' '.join(part)} " in f" {' '.join(whole)} "
