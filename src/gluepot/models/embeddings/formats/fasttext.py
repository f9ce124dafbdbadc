"""Reader of fastText's `.bin`: a dictionary and one matrix for words and n-gram buckets, mapped in place.

A word's vector is the mean of its own row and of its n-grams' rows; a word outside the vocabulary has only the latter.
The layout is that of `FastText::saveModel`, versions 11 and 12.
"""

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gluepot.errors import WrongUse
from gluepot.models.embeddings import Embeddings, Floats
from gluepot.models.embeddings.formats import cache
from gluepot.models.embeddings.formats.subwords import buckets

HEAD = struct.Struct("<2i12id")
"""Magic, version, then the arguments: dim ws epoch minCount neg wordNgrams loss model bucket minn maxn lrUpdateRate t."""
SIZES = struct.Struct("<3i2q")
"""Sizes of the dictionary: entries, words, labels, tokens, pruned n-grams (or −1)."""
SHAPE = struct.Struct("<?2q")
"""Header of the matrix: quantised?, rows, columns."""
ENTRY = 9
"""Bytes after a word's NUL: its count (8) and type (1)."""
SUPERVISED = 3
LONGEST_NGRAM = 100
"""Maximum characters of an n-gram; models have three to six."""
BLOCK = 1000
REMEMBERED = 100_000
"""Composed vectors cached at a time: 120 MB of 300 dimensions."""


@dataclass(frozen=True)
class Ngrams:
    """Character n-grams of a model: their lengths and the number of their buckets."""

    shortest: int
    longest: int
    buckets: int


class FastText(Embeddings):
    """Vectors composed from the rows of words and n-grams."""

    def __init__(self, path: Path, words: list[str], rows: Floats, ngrams: Ngrams) -> None:
        super().__init__(words, rows)
        self.path, self.ngrams = path, ngrams
        self._made: dict[str, Floats | None] = {}
        self._whole: Floats | None = None

    @property
    def matrix(self) -> Floats:
        """Composed vectors of all words, computed once and cached on disk."""
        if self._whole is None:
            self._whole = cache.map_rows(cache.cached_entry(self.path, self._write) / "vectors.npy")
        return self._whole

    def vector(self, word: str) -> Floats | None:
        if word not in self._made:
            if len(self._made) >= REMEMBERED:
                self._made.clear()
            self._made[word] = super().vector(word)
        return self._made[word]

    def guess(self, word: str) -> Floats | None:
        """Return the mean of the n-grams' rows; None for a word without n-grams."""
        sums, counts = self._sum_ngrams([word])
        mean: Floats | None = sums[0] / counts[0] if counts[0] else None
        return mean

    def _vector_at(self, row: int) -> Floats:
        vector: Floats = self._compose(row, row + 1)[0]
        return vector

    def _compose(self, start: int, end: int) -> Floats:
        """Compose the vectors of a range of words of the vocabulary."""
        end = min(end, len(self.words))  # buckets follow
        sums, counts = self._sum_ngrams(self.words[start:end])
        composed: Floats = (self._matrix[start:end] + sums) / (counts + 1)[:, None]
        return composed

    def _sum_ngrams(self, words: Sequence[str]) -> tuple[Floats, Floats]:
        """Return for each word the sum and the number of its n-grams' rows."""
        numbers, counts = buckets(words, self.ngrams.shortest, self.ngrams.longest, self.ngrams.buckets)
        sums = np.zeros((len(words), self.dimensions), np.float32)
        some = np.flatnonzero(counts)
        if len(some):
            starts = np.cumsum(counts) - counts
            sums[some] = np.add.reduceat(self._matrix[len(self.words) + numbers], starts[some], axis=0)
        return sums, counts.astype(np.float32)

    def _write(self, folder: Path) -> None:
        whole = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, (len(self.words), self.dimensions))
        for start in range(0, len(self.words), BLOCK):
            whole[start : start + BLOCK] = self._compose(start, start + BLOCK)
        whole.flush()


def open_fasttext(path: Path) -> FastText:
    """Open the vectors of a fastText model; raise `WrongUse` if it is quantised or truncated."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _open(path, data)
        except struct.error as error:
            raise _broken(path) from error


def _open(path: Path, data: mmap.mmap) -> FastText:
    _, version, *arguments, _ = HEAD.unpack_from(data)
    model, bucket, shortest, longest = arguments[7:11]
    if version not in (11, 12):
        raise WrongUse(f"{path.name}: fastText's file version {version} is not known here, 11 and 12 are.")
    if version == 11 and model == SUPERVISED:
        longest = 0  # these have no character n-grams, whatever the header says
    words, place = _read_words(path, data)
    quantised, rows, columns = SHAPE.unpack_from(data, place)
    if quantised:
        raise WrongUse(f"{path.name}: is a quantised fastText model (.ftz); use the unquantised .bin.")
    place += SHAPE.size
    if bucket < 0 or longest > LONGEST_NGRAM:
        raise _broken(path)
    expected = len(words) + (bucket if longest else 0)
    if columns != arguments[0] or columns < 1 or rows < expected or place + 4 * rows * columns > len(data):
        raise _broken(path)
    matrix = np.memmap(path, "<f4", "r", place, (rows, columns))
    return FastText(path, words, np.asarray(matrix), Ngrams(shortest, longest, bucket))


def _read_words(path: Path, data: mmap.mmap) -> tuple[list[str], int]:
    """Return the words of the dictionary and the offset of the matrix."""
    entries, count, _, _, pruned = SIZES.unpack_from(data, HEAD.size)
    place = HEAD.size + SIZES.size
    words = []
    for _ in range(entries):
        end = data.find(b"\0", place)
        if end < 0:
            raise _broken(path)
        words.append(data[place:end].decode("utf-8", "replace"))
        place = end + 1 + ENTRY
    place += 8 * max(0, pruned)
    if not 0 <= count <= entries or place > len(data):
        raise _broken(path)
    return words[:count], place  # in a supervised model, labels follow


def _broken(path: Path) -> WrongUse:
    return WrongUse(f"{path.name}: this fastText model breaks off or contradicts itself; is the file whole?")
