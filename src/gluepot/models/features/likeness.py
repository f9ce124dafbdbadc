"""Similarity of two texts: cosines of their terms, and word overlap."""

import re
from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz

from gluepot.models.features.matrix import Floats, TermChannel, Terms, products
from gluepot.models.features.terms import beginnings, stems

DIGITS = re.compile(r"\d+")
ENOUGH, AT_ONCE = 50_000, 10_000
"""Number of texts that suffices for term weights, and of pairs compared per batch to limit memory."""
Words = list[str]


def letters(tokens: Words) -> list[str]:
    """Return the character trigrams and 4-grams of the words, with word boundaries.

    >>> letters(["kola"])
    [' ko', 'kol', 'ola', 'la ', ' kol', 'kola', 'ola ']
    """
    padded = [f" {word} " for word in tokens]
    return [word[at : at + size] for size in (3, 4) for word in padded for at in range(len(word) - size + 1)]


class TermSimilarity:
    """Cosine similarity by words, stems, prefixes and character n-grams, with term weights from the fitted texts."""

    def __init__(self) -> None:
        sorts: tuple[Terms, ...] = (list, stems, beginnings, letters)
        self.channels = [TermChannel(sort) for sort in sorts]

    def fit(self, texts: Sequence[Words]) -> None:
        """Fit the term weights, on an evenly spaced sample if there are very many texts."""
        for channel in self.channels:
            channel.fit(texts[:: 1 + len(texts) // ENOUGH])

    def cosines(self, left: Sequence[Words], right: Sequence[Words]) -> Floats:
        """Compute the cosines, one column per channel. A repeated list object, e.g. a passage for each option, is transformed once."""
        parts = [self._cosines(left[at : at + AT_ONCE], right[at : at + AT_ONCE]) for at in range(0, len(left), AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.channels)))

    def _cosines(self, left: Sequence[Words], right: Sequence[Words]) -> Floats:
        lefts, of_left = _once(left)
        rights, of_right = _once(right)
        columns = [products(channel.transform(lefts)[of_left], channel.transform(rights)[of_right]) for channel in self.channels]
        return np.column_stack(columns)


def _once(texts: Sequence[Words]) -> tuple[list[Words], list[int]]:
    """Return the distinct lists (by identity), and the index of each text among them."""
    numbers: dict[int, int] = {}
    of = [numbers.setdefault(id(text), len(numbers)) for text in texts]
    different = list({id(text): text for text in texts}.values())
    return different, of


def overlaps(left: Words, right: Words) -> list[float]:
    """Return the overlap of two texts in words, stems, order, length and numbers.

    >>> [round(value, 2) for value in overlaps(["warm", "glue"], ["warm", "kola"])][:3]
    [0.33, 0.5, 0.5]
    """
    return [
        *shares(set(left), set(right)),
        *shares(set(stems(left)), set(stems(right))),
        fuzz.ratio(" ".join(left), " ".join(right)) / 100,
        fuzz.ratio(left, right) / 100,
        fuzz.token_sort_ratio(" ".join(left), " ".join(right)) / 100,
        (len(left) - len(right)) / (1 + max(len(left), len(right))),
        abs(len(left) - len(right)) / (1 + max(len(left), len(right))),
        float(_digits(left) == _digits(right)),
    ]


def shares(left: set[str], right: set[str]) -> list[float]:
    """Return the size of the intersection relative to the union, the first and the second set."""
    common = len(left & right)
    return [common / max(1, len(left | right)), common / max(1, len(left)), common / max(1, len(right))]


def _digits(tokens: Words) -> set[str]:
    return {number for token in tokens for number in DIGITS.findall(token)}
