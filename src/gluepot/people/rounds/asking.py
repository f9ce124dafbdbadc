"""Answer forms of annotation rounds by answer type, and strict validation of what raters submit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task
from gluepot.runs.storage.store import plain
from gluepot.statistics.bootstrap import generator
from gluepot.tasks import KINDS

Shape = Literal["buttons", "scale", "number", "checks", "tokens", "text"]
WIDEST = 11
"""Maximum number of points on a scale that are shown as buttons."""
LONGEST_COMMENT = 2000


@dataclass(frozen=True)
class AnswerForm:
    """Form for a rater's answer."""

    shape: Shape
    choices: list[tuple[str, str]] = field(default_factory=list)
    """Submitted value and displayed text of each choice."""
    low: float = 0
    high: float = 0
    whole: bool = False
    tokens: list[tuple[int, str, str]] = field(default_factory=list)
    """Index, word and tag of each token."""
    multiline: bool = False
    problem: str = ""


def answer_form(task: Task, inputs: Mapping[str, Any], rater: str, item: str = "") -> AnswerForm:
    """Return the form of one item for one rater, with the options in a rater-specific order."""
    answer = KINDS[task.kind].answer
    example = Example("", dict(inputs))
    if answer.by_distance:
        low, high = task.scale or (0.0, 1.0)
        whole = low == int(low) and high == int(high)
        small = whole and high - low < WIDEST
        numbers = [(str(n), str(n)) for n in range(int(low), int(high) + 1)] if small else []
        return AnswerForm("scale" if small else "number", numbers, low, high, whole=small)
    if answer.per_token:
        kinds = list(dict.fromkeys(label.partition("-")[2] or label for label in task.labels if label != "O"))
        return AnswerForm("tokens", [(kind, kind) for kind in kinds], tokens=[(n, t, "O") for n, t in enumerate(inputs["tokens"])])
    options = [str(option) for option in answer.options(task, example)]
    if options and not answer.free:
        own = generator("options", rater, item if answer.of_options else "").permutation(len(options))
        choices = [(str(number), options[number]) for number in own]
        return AnswerForm("checks" if answer.per_option else "buttons", choices)
    return AnswerForm("text", multiline=answer.multiline)


def read_answer(task: Task, inputs: Mapping[str, Any], form: AnswerForm, sent: Sequence[str]) -> Any:
    """Return the submitted answer as a JSON value; raise InvalidOutput if it is invalid."""
    answer, example = KINDS[task.kind].answer, Example("", dict(inputs))
    if form.shape in ("scale", "number"):
        return _number(form, sent[0] if sent else "")
    if form.shape == "tokens":
        return list(answer.read(task, example, (sent[0] if sent else "").split()))
    if form.shape == "checks":
        return plain(answer.read(task, example, [int(one) for one in sent if one.isdecimal() and len(one) < 9]))
    if form.shape == "buttons":
        if not sent or sent[0] not in dict(form.choices):
            raise InvalidOutput("no-answer", "That is none of the answers.", "Choose one of them.")
        return plain(answer.read(task, example, answer.option(task, example, int(sent[0]))))
    text = " ".join(sent[0].split()) if sent and not form.multiline else sent[0].strip() if sent else ""
    if not text:
        raise InvalidOutput("no-answer", "An empty answer.", "Write something, or skip the item.")
    return answer.read(task, example, text)


def _number(form: AnswerForm, text: str) -> float:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise InvalidOutput("not-a-number", f"“{text[:20]}” is not a number.", f"Give one from {form.low:g} to {form.high:g}.") from None
    if not form.low <= number <= form.high or (form.whole and number != int(number)):
        words = "whole numbers" if form.whole else "numbers"
        raise InvalidOutput("off-scale", f"{number:g} is off the scale.", f"It has {words} from {form.low:g} to {form.high:g}.")
    return number


def mark_tokens(tags: Sequence[str], ticked: Sequence[int], kind: str, labels: Sequence[str] = ()) -> list[str]:
    """Tag the ticked words as one span, or as several if they are not adjacent; an empty kind removes tags.

    >>> mark_tokens(["O", "O", "O", "O"], [0, 1, 3], "PER")
    ['B-PER', 'I-PER', 'O', 'B-PER']
    >>> mark_tokens(["O", "O"], [1], "NOUN", ["O", "NOUN", "VERB"])
    ['O', 'NOUN']
    """
    new, chosen = list(tags), set(ticked)
    for place in sorted(chosen):
        if 0 <= place < len(new):
            new[place] = "O" if not kind else kind if kind in labels else f"{'I' if place - 1 in chosen else 'B'}-{kind}"
    for place, tag in enumerate(new):  # an I- tag whose span has been removed starts a new one
        if tag.startswith("I-") and (place == 0 or new[place - 1][2:] != tag[2:]):
            new[place] = f"B-{tag[2:]}"
    return new


def marked_spans(words: Sequence[str], tags: Sequence[str]) -> list[tuple[int, str, str, str]]:
    """Group words into spans: the index of the first word, the words, the kind (empty if untagged), and the range of indices.

    >>> marked_spans(["I", "Nya", "York", "."], ["O", "B-LOC", "I-LOC", "O"])
    [(0, 'I', '', '0-0'), (1, 'Nya York', 'LOC', '1-2'), (3, '.', '', '3-3')]
    """
    found: list[tuple[int, str, str, str]] = []
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if tag.startswith("I-") and found:
            first, before, kind, _ = found.pop()
            found.append((first, f"{before} {word}", kind, f"{first}-{place}"))
        else:
            kind = "" if tag == "O" else tag.partition("-")[2] or tag
            found.append((place, word, kind, f"{place}-{place}"))
    return found
