"""Spans in texts: marked spans, occurrences of words, and word indices."""

import re

_MARK = re.compile(r"\[([^\[\]]+)\]")
_WORD = re.compile(r"\w", re.UNICODE)


def extract_marked_span(text: str) -> tuple[str, int, int] | None:
    """Return a text without the brackets of its one marked span, and that span; None if no span or several are marked.

    >>> extract_marked_span("Koppen är full, så [den] rinner över.")
    ('Koppen är full, så den rinner över.', 19, 22)
    """
    marks = list(_MARK.finditer(text))
    if len(marks) != 1:
        return None
    mark = marks[0]
    return text[: mark.start()] + mark[1] + text[mark.end() :], mark.start(), mark.start() + len(mark[1])


def occurrences(text: str, words: str) -> list[int]:
    """Return the start offsets of whole-word occurrences.

    >>> occurrences("Hon såg att honan sov, hon", "hon")
    [23]
    """
    places = [found.start() for found in re.finditer(re.escape(words), text)]
    return [place for place in places if not _inside(text, place) and not _inside(text, place + len(words))]


def _inside(text: str, place: int) -> bool:
    """Return whether there are word characters on both sides of an offset."""
    return 0 < place < len(text) and bool(_WORD.match(text[place - 1]) and _WORD.match(text[place]))


def word_index(text: str, start: int) -> int:
    """Return the index of the space-separated word at an offset, counted from 0.

    >>> word_index("en katt sover", 8)
    2
    """
    before = text[:start]
    return len(before.split()) - (1 if before and not before[-1].isspace() else 0)
