"""Marked places in texts: where words stand, and which of several occurrences is meant."""

import re

_MARK = re.compile(r"\[([^\[\]]+)\]")
_WORD = re.compile(r"\w", re.UNICODE)


def take_mark(text: str) -> tuple[str, int, int] | None:
    """A text without its one marked place, and where that is; None where none or several are marked.

    >>> take_mark("Koppen är full, så [den] rinner över.")
    ('Koppen är full, så den rinner över.', 19, 22)
    """
    marks = list(_MARK.finditer(text))
    if len(marks) != 1:
        return None
    mark = marks[0]
    return text[: mark.start()] + mark[1] + text[mark.end() :], mark.start(), mark.start() + len(mark[1])


def occurrences(text: str, words: str) -> list[int]:
    """Where whole words begin.

    >>> occurrences("Hon såg att honan sov, hon", "hon")
    [23]
    """
    places = [found.start() for found in re.finditer(re.escape(words), text)]
    return [place for place in places if not _inside(text, place) and not _inside(text, place + len(words))]


def _inside(text: str, place: int) -> bool:
    """Whether a letter or digit stands on both sides."""
    return 0 < place < len(text) and bool(_WORD.match(text[place - 1]) and _WORD.match(text[place]))


def word_index(text: str, start: int) -> int:
    """Which blank-separated word a place lies in, counted from 0.

    >>> word_index("en katt sover", 8)
    2
    """
    before = text[:start]
    return len(before.split()) - (1 if before and not before[-1].isspace() else 0)
