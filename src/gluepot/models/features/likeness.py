"""How like two texts are: cosines of their terms and what their words share."""

import re
from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz

from gluepot.models.features.matrix import Floats, TermChannel, Terms, products
from gluepot.models.features.terms import beginnings, stems

DIGITS = re.compile(r"\d+")
ENOUGH, AT_ONCE = 50_000, 10_000
"""Texts that weigh terms well enough, and pairs that are compared together to spare memory."""
Words = list[str]


def letters(tokens: Words) -> list[str]:
    """Runs of three and four letters of the words with their edges.

    >>> letters(["kola"])
    [' ko', 'kol', 'ola', 'la ', ' kol', 'kola', 'ola ']
    """
    padded = [f" {word} " for word in tokens]
    return [word[at : at + size] for size in (3, 4) for word in padded for at in range(len(word) - size + 1)]


class Likeness:
    """Cosines of two texts by words, stems, beginnings and runs of letters, weighted as in the texts it was fitted to."""

    def __init__(self) -> None:
        sorts: tuple[Terms, ...] = (list, stems, beginnings, letters)
        self.channels = [TermChannel(sort) for sort in sorts]

    def fit(self, texts: Sequence[Words]) -> None:
        """Weigh terms; of very many texts, evenly spaced ones will do."""
        for channel in self.channels:
            channel.fit(texts[:: 1 + len(texts) // ENOUGH])

    def cosines(self, left: Sequence[Words], right: Sequence[Words]) -> Floats:
        """A column a channel. A list that comes again, as a passage does for each option, is counted once."""
        parts = [self._cosines(left[at : at + AT_ONCE], right[at : at + AT_ONCE]) for at in range(0, len(left), AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.channels)))

    def _cosines(self, left: Sequence[Words], right: Sequence[Words]) -> Floats:
        lefts, of_left = _once(left)
        rights, of_right = _once(right)
        columns = [products(channel.transform(lefts)[of_left], channel.transform(rights)[of_right]) for channel in self.channels]
        return np.column_stack(columns)


def _once(texts: Sequence[Words]) -> tuple[list[Words], list[int]]:
    """The different lists, and for each text the number of its own."""
    numbers: dict[int, int] = {}
    of = [numbers.setdefault(id(text), len(numbers)) for text in texts]
    different = list({id(text): text for text in texts}.values())
    return different, of


def overlaps(left: Words, right: Words) -> list[float]:
    """What two texts share: words, stems, order, length, numbers.

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
    """The common part against all, the first and the second."""
    common = len(left & right)
    return [common / max(1, len(left | right)), common / max(1, len(left)), common / max(1, len(right))]


def _digits(tokens: Words) -> set[str]:
    return {number for token in tokens for number in DIGITS.findall(token)}
