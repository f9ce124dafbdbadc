"""Texts as averages of word vectors, and their cosine similarity."""

import re
from collections.abc import Iterator

import numpy as np

from gluepot.models.embeddings import Embeddings, Floats
from gluepot.models.embeddings.words import find_words


def tokens(text: str) -> list[str]:
    """Return the words of a text, with hyphenated compounds as one word.

    >>> tokens("Hon sa: «e-post på 90-talet!»")
    ['Hon', 'sa', 'e-post', 'på', '90-talet']
    """
    return find_words(text, r"\w")


def average(embeddings: Embeddings, text: str) -> Floats | None:
    """Return the mean vector of a text's known words; None if it has none."""
    found = list(_vectors(embeddings, tokens(text)))
    mean: Floats | None = np.mean(found, axis=0) if found else None
    return mean


def expression(embeddings: Embeddings, text: str) -> Floats | None:
    """Return the vector of a word or, for several words that are not one vocabulary entry, their average."""
    row = embeddings.row(text.strip())
    return average(embeddings, text) if row is None else embeddings.vector(text.strip())


def _vectors(embeddings: Embeddings, words: list[str]) -> Iterator[Floats]:
    """Yield the known vectors; an unknown compound is split into its parts."""
    for word in words:
        vector = embeddings.vector(word)
        if vector is not None:
            yield vector
        elif not word.isalnum():
            yield from (part for piece in re.split("[-'’]", word) if (part := embeddings.vector(piece)) is not None)


def cosine(first: Floats | None, second: Floats | None) -> float | None:
    """Return the cosine of two vectors; None if one is missing or has no direction.

    >>> cosine(np.array([1, 0], np.float32), np.array([1, 1], np.float32))
    0.7071067811865475
    """
    if first is None or second is None:
        return None
    one, other = first.astype(np.float64), second.astype(np.float64)
    length = np.linalg.norm(one) * np.linalg.norm(other)
    return float(one @ other / length) if length > 0 and np.isfinite(length) else None
