"""Matrices in plain formats, `.npy` and safetensors, with their words in a file next to them or in the safetensors header.

For `vectors.npy` that file is `vectors.words.txt`, `vectors.vocab`, `vectors.json` or similar, or `words.txt`, `vocab.txt` or
`tokenizer.json`: one word per line, a JSON list of words, or a JSON object from words to rows.
"""

from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gluepot.errors import DataMissing, WrongUse
from gluepot.models.embeddings import Embeddings, Floats
from gluepot.plurals import pluralize

NPY = b"\x93NUMPY"
LARGEST_HEADER = 100_000_000
"""Maximum bytes of a header, as in the safetensors library."""
DTYPES = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "BF16": "<u2"}
MATRICES = ("embeddings", "embedding.weight", "vectors", "weight")
"""Names of the matrix in files with several tensors, as used by model2vec, sentence-transformers and others."""
OWN = (".words.txt", ".words", ".vocab.txt", ".vocab", ".txt", ".words.json", ".vocab.json", ".json")
SHARED = ("words.txt", "vocab.txt", "words.json", "vocab.json", "tokenizer.json")


class Tensor(msgspec.Struct):
    """Tensor as declared in the header of a safetensors file."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def is_safetensors(head: bytes, size: int) -> bool:
    """Whether the file starts with a plausible header length followed by a JSON header."""
    return head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= min(size - 8, LARGEST_HEADER)


def open_npy(path: Path) -> Embeddings:
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise WrongUse(f"{path.name}: no array of numbers that NumPy can read without unpickling ({error}).") from error
    return _embeddings(path, rows, {})


def open_safetensors(path: Path) -> Embeddings:
    try:
        header, start = _header(path)
        rows = _map(path, _matrix(path, header), start)
        metadata = msgspec.convert(header.get("__metadata__", {}), dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError, OverflowError) as error:
        raise WrongUse(f"{path.name}: this safetensors file breaks off or contradicts itself ({error}).") from error
    return _embeddings(path, rows, metadata)


def _header(path: Path) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return msgspec.json.decode(file.read(length), type=dict[str, Any]), 8 + length


def _matrix(path: Path, header: dict[str, Any]) -> Tensor:
    tensors = {name: msgspec.convert(value, Tensor) for name, value in header.items() if name != "__metadata__"}
    fitting = {name: one for name, one in tensors.items() if len(one.shape) == 2 and one.dtype in DTYPES}
    name = next((name for name in MATRICES if name in fitting), next(iter(fitting), "") if len(fitting) == 1 else "")
    if not name:
        known = ", ".join(list(tensors)[:5]) or "none"
        raise WrongUse(f"{path.name}: word vectors are one matrix called {MATRICES[0]!r}, or the only one; this file has {known}.")
    return fitting[name]


def _map(path: Path, tensor: Tensor, start: int) -> Any:
    begin, end = tensor.data_offsets
    dtype = np.dtype(DTYPES[tensor.dtype])
    if min(tensor.shape) < 1 or begin < 0 or end - begin != prod(tensor.shape) * dtype.itemsize or start + end > path.stat().st_size:
        raise ValueError("the place of the matrix")
    rows: Any = np.memmap(path, dtype, "r", start + begin, (tensor.shape[0], tensor.shape[1]))
    return (rows.astype(np.uint32) << 16).view(np.float32) if tensor.dtype == "BF16" else rows


def _embeddings(path: Path, rows: Any, metadata: dict[str, str]) -> Embeddings:
    if rows.ndim != 2 or not rows.size or not np.issubdtype(rows.dtype, np.floating):
        raise WrongUse(f"{path.name}: word vectors are a matrix of floating-point numbers, not {rows.dtype} of {rows.ndim} dimensions.")
    matrix: Floats = np.asarray(rows, np.float32)
    if not np.isfinite(matrix).all():
        raise WrongUse(f"{path.name}: has numbers that are none (NaN or infinite).")
    words, source = _words(path, metadata)
    if len(words) != len(matrix):
        raise WrongUse(f"{path.name}: {pluralize(len(matrix), 'vector')}, but {pluralize(len(words), 'word')} in {source}.")
    return Embeddings(words, matrix)


def _words(path: Path, metadata: dict[str, str]) -> tuple[list[str], str]:
    """Return the words in row order, and their source."""
    for name in ("words", "vocab"):
        if name in metadata:
            return _listed(path, metadata[name].encode()), "its header"
    own, shared = [path.with_suffix(end) for end in OWN], [path.with_name(name) for name in SHARED]
    place = next((one for one in (*own, *shared) if one != path and one.is_file()), None)
    if place is None:
        raise DataMissing(f"{path.name}: its words must lie beside it, one a line in {own[0].name}, or as a JSON list in {own[5].name}.")
    data = place.read_bytes()
    if place.suffix == ".json":
        return _listed(place, data), place.name
    return [line.split("\t")[0].rstrip("\r") for line in data.decode("utf-8", "replace").removesuffix("\n").split("\n")], place.name


def _listed(place: Path, data: bytes) -> list[str]:
    """Parse a JSON list of words, a JSON object from words to rows, or the vocabulary of a tokenizer."""
    try:
        found = msgspec.json.decode(data)
        if isinstance(found, dict) and isinstance(found.get("model"), dict):
            found = found["model"].get("vocab")
        if isinstance(found, list) and found and isinstance(found[0], list):  # a Unigram tokenizer's vocabulary: words with scores
            found = [word for word, _ in found]
        if isinstance(found, dict):
            rows = msgspec.convert(found, dict[str, int])
            found = sorted(rows, key=lambda word: rows[word])
        return msgspec.convert(found, list[str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise WrongUse(f"{place.name}: no list of words ({error}).") from error
