"""Reader of word2vec text and GloVe text: one word with its numbers per line."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from gluepot.errors import WrongUse
from gluepot.models.embeddings import Floats
from gluepot.models.embeddings.formats.detection import VectorFormat
from gluepot.plurals import pluralize

BLOCK = 1 << 24
"""Bytes of text per block."""
NUMBERS = msgspec.json.Decoder(list[float])
"""JSON numbers have the files' syntax, and this decoder takes a third of the time of NumPy's: 2.6 s for 30 million."""


def read_blocks(path: Path, found: VectorFormat) -> Iterator[tuple[list[str], Floats]]:
    """Yield words with their vectors, some megabytes at a time; raise `WrongUse` with the line number of an invalid vector."""
    left = found.count
    with path.open("rb") as file:
        file.seek(found.start)
        number = 1 if found.start == 0 else 2
        while (left is None or left > 0) and (lines := file.readlines(BLOCK)):
            words, values = _VectorLines(path.name, number, lines[:left], found.dimensions).read()
            yield words, values
            number += len(lines)
            left = None if left is None else left - len(words)
    if left:
        raise WrongUse(f"{path.name}: ends {pluralize(left, 'word')} before the {found.count:,} of its first line; is the file whole?")


class _VectorLines:
    """Block of lines of a file, starting at line `number`."""

    def __init__(self, file: str, number: int, lines: list[bytes], dimensions: int) -> None:
        self.file, self.number, self.lines, self.dimensions = file, number, lines, dimensions

    def read(self) -> tuple[list[str], Floats]:
        words, numbers = [], []
        for place, line in enumerate(self.lines):
            if not line.strip():
                continue
            word, rest = self._split(place, line)
            words.append(word.decode("utf-8", "replace"))
            numbers.append(rest)
        values = read_numbers(b" ".join(numbers))
        if values is None or len(values) != len(words) * self.dimensions or not np.isfinite(values).all():
            raise self._wrong_line()
        return words, values.reshape(len(words), self.dimensions)

    def _split(self, place: int, line: bytes) -> tuple[bytes, bytes]:
        """Split a line into word and numbers: at the first space or, if the word has spaces, by the number of fields from the end."""
        line = line.rstrip(b" \t\r\n")
        word, _, rest = line.partition(b" ")
        if rest.count(b" ") == self.dimensions - 1:
            return word, rest
        fields = line.rsplit(None, self.dimensions)
        if len(fields) <= self.dimensions:
            found = max(0, len(line.split()) - 1)
            raise self._error(place, f"{pluralize(found, 'number')} where {self.dimensions} are expected")
        return fields[0].strip(), b" ".join(fields[1:])

    def _wrong_line(self) -> WrongUse:
        """Return the error for the first line without the expected number of finite numbers."""
        for place, line in enumerate(self.lines):
            if line.strip():
                values = read_numbers(self._split(place, line)[1])
                if values is None or len(values) != self.dimensions or not np.isfinite(values).all():
                    return self._error(place, f"not {pluralize(self.dimensions, 'number')}")
        return WrongUse(f"{self.file}: no word vectors that can be read.")

    def _error(self, place: int, what: str) -> WrongUse:
        return WrongUse(f"{self.file}, line {self.number + place}: {what}; is the file whole?")


def read_numbers(text: bytes) -> Floats | None:
    """Parse numbers separated by spaces; None if there is anything else.

    >>> read_numbers(b"1 -0.5 2e-1").tolist()
    [1.0, -0.5, 0.20000000298023224]
    """
    try:
        return np.array(NUMBERS.decode(b"[" + text.replace(b" ", b",") + b"]"), np.float32)
    except msgspec.MsgspecError:  # .5, +1, nan and tabs are not JSON
        try:
            return np.array([float(field) for field in text.split()], np.float32)
        except ValueError:
            return None
