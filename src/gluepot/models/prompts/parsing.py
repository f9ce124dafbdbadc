"""Strict parsing of generated text: an answer must be all of it."""

import re
from collections.abc import Sequence
from typing import Any

from gluepot.answers.text import LONGEST_TEXT
from gluepot.models.prompts.entities import as_tags
from gluepot.models.prompts.fields import letter
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

MARKS = " \t\n\r.,:;!?'\"`*()[]«»„“”’‘"
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
THOUGHT = "think(?:ing)?|thought|reasoning"
BEGUN = re.compile(rf"\A(?:(?!<(?:{THOUGHT})>).)*?</(?:{THOUGHT})>", re.DOTALL)
"""Reasoning that the chat template opened in the prompt."""
THINKING = re.compile(rf"<({THOUGHT})>.*?(?:</\1>|\Z)", re.DOTALL)
CYRILLIC = str.maketrans("абвгдежзАБВГДЕЖЗ", "abcdefghABCDEFGH")
"""Option letters as typed on a Russian keyboard."""


def without_thinking(text: str) -> tuple[str, int]:
    """Return the text without reasoning, and the number of characters removed; unfinished reasoning leaves nothing.

    >>> without_thinking("<think>hm, ja</think> nej")
    (' nej', 21)
    """
    kept = THINKING.sub("", BEGUN.sub("", text))
    return kept, len(text) - len(kept)


def find_word(text: str, words: Sequence[str]) -> int | None:
    """Return the index of the only word in the text, ignoring case and surrounding punctuation; None if there is no match.

    >>> find_word(" Ja.", ["nej", "ja"]), find_word("ja eller nej", ["nej", "ja"])
    (1, None)
    """
    said = text.strip(MARKS).casefold()
    found = [number for number, word in enumerate(words) if word.strip(MARKS).casefold() == said]
    return found[0] if found else None


def find_option(text: str, options: Sequence[str]) -> int | None:
    """Return the index of an option given by its letter, its letter and its text, or its text.

    >>> find_option("b) tusch", ["penna", "tusch"]), find_option("tusch", ["penna", "tusch"])
    (1, 1)
    """
    letters = [letter(number) for number in range(len(options))]
    by_letter = find_word(text.translate(CYRILLIC), letters)
    if by_letter is not None:
        return by_letter
    both = [f"{name}{mark} {option}" for name, option in zip(letters, options, strict=True) for mark in ".):"]
    said = text.lstrip(MARKS)
    found = find_word(said[:1].translate(CYRILLIC) + said[1:], both)
    return found // 3 if found is not None else find_word(text, options)


def find_number(text: str, scale: tuple[float, float] | None) -> float | None:
    """Parse a number within the scale, with a decimal point or comma.

    >>> find_number("3,5", (0, 5)), find_number("7", (0, 5)), find_number("kanske 3", (0, 5))
    (3.5, None, None)
    """
    said = text.strip(MARKS)
    if not NUMBER.fullmatch(said):
        return None
    value = float(said.replace(",", "."))
    return value if scale is None or scale[0] <= value <= scale[1] else None


def read_free(task: Task, example: Example, text: str, words: dict[str, str]) -> Any:
    """Parse the answer to a question without candidates; None if there is none. Only a summary may span several lines."""
    answer = KINDS[task.kind].answer
    if answer.per_token:
        return as_tags(text, example.inputs["tokens"], words)
    said = text.strip() if answer.multiline else text.strip().partition("\n")[0].strip()
    if answer.by_distance:
        return find_number(said, task.scale)
    return (said.strip(MARKS) if answer.binary else said)[:LONGEST_TEXT] or None
