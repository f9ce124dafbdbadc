"""Conversion of raters' answers, as annotation tools write them, to answers to the task."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gluepot.errors import InvalidOutput, WrongUse
from gluepot.people.formats.columns import as_number
from gluepot.people.joining import JoinedVotes
from gluepot.people.spans import tags_from_spans
from gluepot.people.votes import Vote, label_text
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

_DIGIT = re.compile(r"(?<!\d)\d+$")
TRUTH = {"1": "true", "0": "false", "yes": "true", "no": "false"}
"""Aliases of true and false in annotation tools."""


@dataclass
class ReadVotes:
    """Votes whose values are answers to the task."""

    votes: list[Vote] = field(default_factory=list)
    said: list[Any] = field(default_factory=list)
    """Original value of each vote, on the scale shown to the rater."""
    unreadable: Counter[str] = field(default_factory=Counter)
    """Frequency of values that are not valid answers."""


def read_answers(joined: JoinedVotes) -> ReadVotes:
    """Convert every vote; invalid ones are counted and left out. Raise WrongUse if none is valid."""
    from msgspec.structs import replace

    read = ReadVotes()
    known = known_answers(joined.task)
    for vote in joined.votes:
        try:
            value = read_value(joined.task, joined.examples.get(vote.item), vote.value, known)
        except InvalidOutput:
            read.unreadable[label_text(vote.value)] += 1
            continue
        read.votes.append(replace(vote, value=value))
        read.said.append(vote.value)
    if not read.votes:
        given = ", ".join(repr(value) for value, _ in read.unreadable.most_common(5))
        wanted = f"its labels are {', '.join(joined.task.labels)}" if joined.task.labels else "it asks for something else"
        raise WrongUse(f"{joined.task.path}: no vote is an answer to this task: {given}; {wanted}. [votes.labels] in task.toml translates.")
    return read


def known_answers(task: Task) -> dict[str, str]:
    """Return the aliases of labels: themselves in any case, declared aliases of the votes, and the label words of prompts."""
    known = {label.casefold(): label for label in task.labels}
    if set(known) == {"true", "false"}:
        known |= {said: known[meant] for said, meant in TRUTH.items()}
    words = task.prompt.label_words if task.prompt else {}
    known = {**{word.casefold(): label for label, word in words.items() if label in task.labels}, **known}
    return {**known, **{said.casefold(): meant for said, meant in (task.votes.labels if task.votes else {}).items()}}


def read_value(task: Task, example: Example | None, value: Any, known: Mapping[str, str]) -> Any:
    """Return one answer in the form that the task's metrics expect; raise InvalidOutput if it is invalid."""
    answer = KINDS[task.kind].answer
    example = example or Example("", _nothing(task, value))
    if answer.by_distance:
        number = as_number(str(value).replace(",", ".") if isinstance(value, str) else value)
        return answer.read(task, example, value if number is None else number)
    if "labels" in answer.needs and answer.categorical:
        return answer.read(task, example, _as_label(value, known))
    if answer.per_token:
        return answer.read(task, example, tags_from_spans(example.inputs["tokens"], value))
    if answer.per_option:
        chosen = value if isinstance(value, list | tuple) else str(value).replace(",", " ").split()
        return answer.read(task, example, [_option(example, one) for one in chosen])
    if answer.of_options:
        return answer.read(task, example, _option(example, value))
    return answer.read(task, example, value if isinstance(value, str) else label_text(value))


def _as_label(value: Any, known: Mapping[str, str]) -> Any:
    """Resolve a label or alias; a trailing digit is a position on a scale and ignored if necessary."""
    text = label_text(value[0] if isinstance(value, tuple) and len(value) == 1 else value).casefold()
    bare = _DIGIT.sub("", text)
    return known.get(text) or (known.get(bare) if bare else None) or label_text(value)


def _option(example: Example, value: Any) -> Any:
    """Return the index of an option given by number or by text."""
    options: Sequence[Any] = example.inputs.get("options", ())
    if isinstance(value, str) and not value.isdigit():
        normal = [" ".join(str(option).split()) for option in options]
        return normal.index(" ".join(value.split())) if " ".join(value.split()) in normal else value
    return int(value) if isinstance(value, str) else value


def _nothing(task: Task, value: Any) -> dict[str, Any]:
    """Return inputs for an item that is not a row of the task, with as many options as the answer needs."""
    number = as_number(value) if not isinstance(value, tuple) else None
    return {"options": [""] * (int(number) + 1 if number is not None and 0 <= number < 1000 else 0), "tokens": []}
