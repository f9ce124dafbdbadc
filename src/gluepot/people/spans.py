"""Spans over characters, as annotation tools write them, and tags over tokens, as tasks have them."""

from collections.abc import Sequence
from typing import Any


def tags_from_spans(tokens: Sequence[str], value: Any) -> Any:
    """IOB2 tags of (start, end, label) over the tokens joined by spaces; anything else as it is.

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
