"""Detection of word vector formats by their first bytes and lines."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gluepot.errors import WrongUse
from gluepot.models.embeddings.formats import arrays

FASTTEXT = (793712314).to_bytes(4, "little")
PICKLE = 0x80
PACKED = {b"\x1f\x8b": "gunzip", b"PK": "unzip", b"BZ": "bunzip2", b"\xfd7": "unxz"}
HEAD = 1 << 20
"""Bytes inspected; a line of 1,000 numbers has some 10,000."""
LINES = 100
MOST_DIMENSIONS = 100_000
"""Upper bound of plausible dimensions, so that an invalid header does not allocate memory."""


@dataclass(frozen=True)
class VectorFormat:
    """Detected format: the offset of the vectors, their dimensions, and their number if the file declares it."""

    name: str
    """word2vec-text, word2vec-binary, glove, fasttext, npy, safetensors or gensim."""
    dimensions: int = 0
    count: int | None = None
    start: int = 0


def detect(path: Path) -> VectorFormat:
    """Detect the format of a file; raise `WrongUse` with the known ones if it has none of them."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(FASTTEXT):
        return VectorFormat("fasttext")
    if head.startswith(arrays.NPY):
        return VectorFormat("npy")
    if arrays.is_safetensors(head, path.stat().st_size):
        return VectorFormat("safetensors")
    if head[:1] == bytes([PICKLE]) and len(head) > 1 and 2 <= head[1] <= 5:
        return VectorFormat("gensim")
    found = _word2vec(head) or _glove(head)
    if found is not None:
        return found
    for magic, program in PACKED.items():
        if head.startswith(magic):
            raise WrongUse(f"{path.name}: is compressed; unpack it first ({program} {path.name}).")
    raise WrongUse(
        f"{path.name}: no word vectors known here: word2vec (text, binary), GloVe text, fastText .bin, .npy, .safetensors or gensim .kv."
    )


def _word2vec(head: bytes) -> VectorFormat | None:
    """Detect word2vec by its first line of two numbers; it is the text format if the next line parses as numbers."""
    line, newline, rest = head.partition(b"\n")
    fields = line.split()
    if not newline or len(fields) != 2 or not all(field.isdigit() and len(field) < 12 for field in fields):
        return None
    count, dimensions = map(int, fields)
    if not count or not 0 < dimensions <= MOST_DIMENSIONS:
        return None
    name = "word2vec-text" if _reads_as_text(rest, dimensions) else "word2vec-binary"
    return VectorFormat(name, dimensions, count, len(line) + 1)


def _reads_as_text(rest: bytes, dimensions: int) -> bool:
    """Whether the next line is a word with numbers; too few numbers are reported by the reader."""
    fields = rest.partition(b"\n")[0].split()[1:][-dimensions:]
    return not rest or (len(fields) > 0 and all(map(_is_number, fields)))


def _glove(head: bytes) -> VectorFormat | None:
    """Detect GloVe, which has no header; the most common number of fields gives the dimensions."""
    lines = head.split(b"\n")[:LINES]
    lines = lines if len(lines) == 1 or len(head) < HEAD else lines[:-1]  # the last may be truncated
    sizes = Counter(len(line.split()) - 1 for line in lines if line.strip())
    dimensions = sizes.most_common(1)[0][0] if sizes else 0
    first = next((line.split() for line in lines if len(line.split()) == dimensions + 1), [])
    if not 2 <= dimensions <= MOST_DIMENSIONS or not all(map(_is_number, first[1:])):
        return None
    return VectorFormat("glove", dimensions)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
