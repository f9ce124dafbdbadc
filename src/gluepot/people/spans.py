"""Conversion of character spans, as annotation tools write them, to token tags, as tasks have them."""

from collections.abc import Sequence
from typing import Any


def tags_from_spans(tokens: Sequence[str], value: Any) -> Any:
    """Return IOB2 tags of (start, end, label) spans over the tokens joined by spaces; anything else is returned unchanged.

    >>> tags_from_spans(["Ann", "Lee", "sings"], ((0, 7, "PER"),))
    ['B-PER', 'I-PER', 'O']
    """
    if isinstance(value, str):
        return value.split()
    if not isinstance(value, list | tuple) or not all(isinstance(span, list | tuple) and len(span) == 3 for span in value):
        return list(value) if isinstance(value, tuple) else value
    tags, places, at = ["O"] * len(tokens), [], 0
    for token in tokens:
        places.append((at, at + len(token)))
        at += len(token) + 1
    for start, end, label in value:
        inside = [number for number, (left, right) in enumerate(places) if left < end and right > start]
        for place, number in enumerate(inside):
            tags[number] = f"{'I' if place else 'B'}-{label}"
    return tags
