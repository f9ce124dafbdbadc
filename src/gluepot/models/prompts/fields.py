"""Values of a prompt's placeholders, by kind of task."""

from collections.abc import Callable, Mapping
from typing import Any

from gluepot.answers import Index
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OPTIONS_WORD = {"da": "Svarmuligheder"}
"""Word between a question and its options where both share one field, by language."""


def flat(value: Any) -> str:
    """Collapse a field to one line."""
    return str(value).replace("\n", " ").strip()


def fields(task: Task, example: Example, words: Mapping[str, str] = {}, option: int | None = None) -> dict[str, str]:
    """Return the values of all placeholders but the label, with the context in the task's own words."""
    inputs = example.inputs
    found = {name.replace("-", "_"): flat(value) for name, value in inputs.items() if isinstance(value, str | int | float)}
    found["context"] = words.get(found.get("context", ""), found.get("context", ""))
    if "options" in inputs:
        found["options"] = "\n".join(f"{letter(number)}. {flat(text)}" for number, text in enumerate(inputs["options"]))
    if option is not None:
        found["option"] = flat(inputs["options"][option])
    special = SPECIAL.get(task.kind)
    return found | special(task, example) if special else found


def letter(number: int) -> str:
    """Return the name of an option: a to z, then aa, ab …

    >>> letter(2), letter(27)
    ('c', 'ab')
    """
    return LETTERS[number] if number < len(LETTERS) else letter(number // len(LETTERS) - 1) + LETTERS[number % len(LETTERS)]


def numbered(task: Task) -> bool:
    """Return whether an answer is the number of an option; labels of such a task are the letters of its options."""
    return isinstance(KINDS[task.kind].answer, Index)


def _choice(task: Task, example: Example) -> dict[str, str]:
    """Append the options to the text where the labels are letters."""
    text = flat(example.inputs["text"])
    if not task.labels:
        return {"text": text}
    made = str(task.protocol.get("alternative-text", "{text}"))
    if not text.startswith(made.partition("{text}")[0] or "\n"):
        text = made.format(text=text)
    options = " ".join(f"{letter(number)}. {flat(option)}" for number, option in enumerate(example.inputs["options"]))
    return {"text": f"{text} {OPTIONS_WORD.get(task.language, 'Options')}: {options}"}


def _tokens(task: Task, example: Example) -> dict[str, str]:
    return {"text": flat(" ".join(example.inputs["tokens"]))}


def _span_answer(task: Task, example: Example) -> dict[str, str]:
    return {"text": flat(example.inputs["context"]), "question": flat(example.inputs["text"])}


def _word_in_context(task: Task, example: Example) -> dict[str, str]:
    inputs = example.inputs
    return {"word": flat(inputs.get("word") or inputs["text"][inputs["start"] : inputs["end"]])}


def _coreference(task: Task, example: Example) -> dict[str, str]:
    """Return the text with both spans in brackets: a pronoun may occur in it more than once."""
    inputs = example.inputs
    text = str(inputs["text"])
    spans = sorted(((inputs["first-start"], inputs["first-end"]), (inputs["second-start"], inputs["second-end"])), reverse=True)
    overlapping = spans[1][1] > spans[0][0]
    for start, end in [] if overlapping else spans:
        text = f"{text[:start]}[{text[start:end].strip()}]{' ' * (text[start:end] != text[start:end].rstrip())}{text[end:]}"
    return {"marked": flat(text)}


def _cloze(task: Task, example: Example) -> dict[str, str]:
    return {
        "text": flat(example.inputs["text"]).replace("@placeholder", "_____"),
        "context": flat(example.inputs["context"]).replace("@header ", "").replace("@highlight ", "• "),
    }


SPECIAL: dict[str, Callable[[Task, Example], dict[str, str]]] = {
    "choice": _choice,
    "cloze": _cloze,
    "coreference": _coreference,
    "span-answer": _span_answer,
    "token-labelling": _tokens,
    "word-in-context": _word_in_context,
}
