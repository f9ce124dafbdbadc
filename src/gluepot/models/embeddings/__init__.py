"""Word vectors in their published formats, memory-mapped rather than loaded.

`open_embeddings` detects word2vec text and binary, GloVe text, fastText `.bin`, `.npy`, safetensors and gensim files by content.
Text and word2vec binary are converted once into the cache; the others are mapped in place. Gensim files are Python pickles, which
execute code: they are opened only if explicitly trusted.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gluepot.errors import DataMissing, WrongUse

Floats = NDArray[np.float32]


class Embeddings:
    """Vocabulary with one vector per word."""

    def __init__(self, words: Sequence[str], matrix: Floats) -> None:
        self.words = words
        self._matrix = matrix
        self._rows: dict[str, int] = {}
        for row, word in enumerate(words):
            self._rows.setdefault(word, row)

    @property
    def dimensions(self) -> int:
        return int(self._matrix.shape[1])

    @property
    def matrix(self) -> Floats:
        """Vectors of all words, in vocabulary order."""
        return self._matrix

    def row(self, word: str) -> int | None:
        """Return the row of a word as written, or else lower-cased; None if the vocabulary has neither."""
        row = self._rows.get(word)
        return self._rows.get(word.lower()) if row is None else row

    def vector(self, word: str) -> Floats | None:
        """Return the vector of a word or, if the format allows, one composed for a word outside the vocabulary."""
        row = self.row(word)
        return self.guess(word) if row is None else self._vector_at(row)

    def guess(self, word: str) -> Floats | None:
        """Return a vector composed for a word outside the vocabulary, if the format supports it."""
        return None

    def _vector_at(self, row: int) -> Floats:
        vector: Floats = self._matrix[row]
        return vector


def open_embeddings(path: Path, *, trust_pickle: bool = False) -> Embeddings:
    """Open the vectors in a file; the last file is cached, so that the tasks of a run share it."""
    path = path.expanduser()
    if not path.exists():
        raise DataMissing(f"{path}: no such file of word vectors.")
    if not path.is_file():
        raise WrongUse(f"{path}: name a file of word vectors, not a folder.")
    return _open(path.resolve(), path.stat().st_size, path.stat().st_mtime_ns, trust_pickle)


@lru_cache(maxsize=1)
def _open(path: Path, size: int, modified: int, trust_pickle: bool) -> Embeddings:
    from gluepot.models.embeddings.formats import arrays, cache, fasttext, keyed, text, word2vec
    from gluepot.models.embeddings.formats.detection import detect

    found = detect(path)
    mapped = {"fasttext": fasttext.open_fasttext, "npy": arrays.open_npy, "safetensors": arrays.open_safetensors}
    if found.name in mapped:
        return mapped[found.name](path)
    if found.name == "gensim":
        return keyed.open_keyed(path, trusted=trust_pickle)
    reader = word2vec.read_blocks if found.name == "word2vec-binary" else text.read_blocks
    return Embeddings(*cache.converted(path, found.dimensions, lambda: reader(path, found)))
