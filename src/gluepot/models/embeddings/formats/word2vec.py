"""Reader of word2vec binary: a line with the counts, then each word, a space and its numbers as four bytes each."""

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gluepot.errors import WrongUse
from gluepot.models.embeddings import Floats
from gluepot.models.embeddings.formats.detection import VectorFormat
from gluepot.plurals import pluralize

BLOCK = 10_000
LONGEST_WORD = 10_000
"""Bytes without a space after which a file cannot be word2vec binary."""


def read_blocks(path: Path, found: VectorFormat) -> Iterator[tuple[list[str], Floats]]:
    """Yield words with their vectors, some thousand at a time; raise `WrongUse` if the file is truncated."""
    count, width = found.count or 0, 4 * found.dimensions
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        place = found.start
        for first in range(0, count, BLOCK):
            words, pieces = [], []
            for number in range(first, min(first + BLOCK, count)):
                space = data.find(b" ", place, place + LONGEST_WORD)
                if space < 0 or space + 1 + width > len(data):
                    raise WrongUse(f"{path.name}: breaks off after {number:,} of {pluralize(count, 'word')}; is the file whole?")
                words.append(data[place:space].lstrip(b"\n").decode("utf-8", "replace"))  # some writers end a vector with a newline
                place = space + 1 + width
                pieces.append(data[space + 1 : place])
            yield words, _numbers(path, b"".join(pieces), found.dimensions)


def _numbers(path: Path, data: bytes, dimensions: int) -> Floats:
    values: Floats = np.frombuffer(data, "<f4").astype(np.float32, copy=False).reshape(-1, dimensions)
    if not np.isfinite(values).all():
        raise WrongUse(f"{path.name}: has numbers that are none (NaN or infinite); is this word2vec binary with 4-byte numbers?")
    return values
