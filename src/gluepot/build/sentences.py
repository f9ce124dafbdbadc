"""Sentence segmentation for scripts with and without spaces between words."""

import re
from collections.abc import Iterator

_LATIN = r"[.!?…؟۔։።।॥]+[\"'”’»)\]]*\s+"
_WIDE = r"[。！？｡]+[」』”’）]*\s*"
_END = re.compile(rf"{_WIDE}|{_LATIN}|\s*\n\s*")


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield sentence spans: a sentence ends with a full stop, exclamation or question mark of any script, or with its line.

    >>> [("Han kom. Hon gick!"[a:b]) for a, b in sentence_spans("Han kom. Hon gick!")], list(sentence_spans("他来了。她走了。"))
    (['Han kom.', 'Hon gick!'], [(0, 4), (4, 8)])
    """
    start = 0
    for found in _END.finditer(text):
        end = start + len(text[start : found.end()].rstrip())
        if end > start:
            yield start, end
        start = found.end()
    if text[start:].strip():
        yield start, len(text.rstrip())
