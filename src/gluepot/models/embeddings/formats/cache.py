"""Disk cache of converted vectors: memory-mapped float32 rows and the words, converted once per file.

An entry is a folder named by the source's path, size and modification time. It is written under a temporary name and then
renamed, so that readers never see a partial entry; an older entry of the same path is removed.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np

from gluepot.errors import GluepotError, WrongUse
from gluepot.files import sample_bytes
from gluepot.models.caches import cache_root
from gluepot.models.embeddings import Floats
from gluepot.notices import notify

LAYOUT = 2
"""Version of the entry layout."""
SEAL = "seal.json"
"""File written last, with the sizes and hashes of the other files of the entry."""
Blocks = Iterable[tuple[list[str], Floats]]


def converted(path: Path, dimensions: int, read: Callable[[], Blocks]) -> tuple[list[str], Floats]:
    """Return the words and vectors of a source file, from the cache or, on first use, from `read`."""
    entry = cached_entry(path, lambda folder: _convert(folder, path, dimensions, read()))
    words = msgspec.json.decode((entry / "words.json").read_bytes(), type=list[str])
    return words, map_rows(entry / "vectors.npy")


def cached_entry(path: Path, fill: Callable[[Path], None]) -> Path:
    """Return the cache folder of a source file, filled by `fill` on first use."""
    entry = _entry(path)
    if _is_whole(entry):
        return entry
    if entry.is_dir():
        notify(f"{entry}: these kept vectors are broken; they are dropped and made again from {path.name}.")
        shutil.rmtree(entry, ignore_errors=True)
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=entry.parent, prefix=".new-"))
        try:
            fill(folder)
            (folder / SEAL).write_bytes(msgspec.json.encode(_digests(folder)))
            _remove_older(entry)
            with suppress(FileExistsError, NotADirectoryError):  # another process was faster
                folder.rename(entry)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        if _is_whole(entry):
            return entry
        reason = error.strerror or error
        raise GluepotError(f"{entry.parent}: cannot keep converted vectors here ({reason}); set GLUEPOT_CACHE to another one.") from error
    return entry


def _is_whole(entry: Path) -> bool:
    """Whether an entry exists and matches its seal, which covers samples of large files."""
    try:
        return msgspec.json.decode((entry / SEAL).read_bytes(), type=dict[str, str]) == _digests(entry)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.iterdir() if path.name != SEAL)
    return {path.name: f"{path.stat().st_size} {sha256(sample_bytes(path)).hexdigest()}" for path in files}


def map_rows(path: Path) -> Floats:
    """Memory-map an `.npy` file, as a plain array over the mapping, which is faster to index."""
    rows: Floats = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    return rows


def write_rows(path: Path, dimensions: int, blocks: Blocks) -> list[str]:
    """Write the vectors of the first occurrence of each word to an `.npy` file, and return the words."""
    words: dict[str, None] = {}
    with path.open("wb") as file:
        file.write(_header(0, dimensions))
        for names, values in blocks:
            keep = [number for number, name in enumerate(names) if _first(name, words)]
            file.write(np.ascontiguousarray(values if len(keep) == len(names) else values[keep], np.float32).data)
        file.seek(0)
        file.write(_header(len(words), dimensions))
    return list(words)


def _convert(folder: Path, path: Path, dimensions: int, blocks: Blocks) -> None:
    words = write_rows(folder / "vectors.npy", dimensions, blocks)
    if not words:
        raise WrongUse(f"{path.name}: holds no word vectors.")
    (folder / "words.json").write_bytes(msgspec.json.encode(words))


def _first(word: str, seen: dict[str, None]) -> bool:
    if word in seen:
        return False
    seen[word] = None
    return True


def _header(rows: int, dimensions: int) -> bytes:
    """Return an `.npy` header; NumPy reserves space for the number of rows, so that its size is constant."""
    file = BytesIO()
    descr = np.lib.format.dtype_to_descr(np.dtype(np.float32))
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": (rows, dimensions)})
    return file.getvalue()


def _entry(path: Path) -> Path:
    stat = path.stat()
    name = sha256(os.fsencode(path)).hexdigest()[:20]
    return cache_root() / "vectors" / f"{name}-{stat.st_size}-{stat.st_mtime_ns}-{LAYOUT}"


def _remove_older(entry: Path) -> None:
    for old in entry.parent.glob(f"{entry.name.partition('-')[0]}-*"):
        if old != entry:
            shutil.rmtree(old, ignore_errors=True)
