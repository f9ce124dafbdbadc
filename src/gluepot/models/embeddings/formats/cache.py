"""Keeps converted vectors on disk: float32 rows that map into memory, and the words, made once a file.

An entry is a folder named by the source's path, size and time of change. It is filled under another name and then
renamed, so that a reader never meets half of one; an older entry of the same path is removed.
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
from gluepot.files import some_bytes
from gluepot.models.caches import cache_root
from gluepot.models.embeddings import Floats
from gluepot.notices import tell

LAYOUT = 2
"""Changes when entries are written another way."""
SEAL = "seal.json"
"""Written last: the other files of an entry and what was in them."""
Blocks = Iterable[tuple[list[str], Floats]]


def converted(path: Path, dimensions: int, read: Callable[[], Blocks]) -> tuple[list[str], Floats]:
    """The words and vectors of a source file, from the cache or, the first time, from `read`."""
    entry = cached_entry(path, lambda folder: _convert(folder, path, dimensions, read()))
    words = msgspec.json.decode((entry / "words.json").read_bytes(), type=list[str])
    return words, map_rows(entry / "vectors.npy")


def cached_entry(path: Path, fill: Callable[[Path], None]) -> Path:
    """The folder of a source file's entry, filled by `fill` the first time."""
    entry = _entry(path)
    if _is_whole(entry):
        return entry
    if entry.is_dir():
        tell(f"{entry}: these kept vectors are broken; they are dropped and made again from {path.name}.")
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
    """Whether an entry is there and as it was written, as far as a look at parts of it tells."""
    try:
        return msgspec.json.decode((entry / SEAL).read_bytes(), type=dict[str, str]) == _digests(entry)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.iterdir() if path.name != SEAL)
    return {path.name: f"{path.stat().st_size} {sha256(some_bytes(path)).hexdigest()}" for path in files}


def map_rows(path: Path) -> Floats:
    """The array of an `.npy` file, mapped; as a plain array over the mapping, whose rows are cheaper to take."""
    rows: Floats = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    return rows


def write_rows(path: Path, dimensions: int, blocks: Blocks) -> list[str]:
    """Writes the vectors of words not seen before into an `.npy` file and returns the words."""
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
    """An `.npy` header; NumPy leaves it room for the number of rows, so that its size is always the same."""
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
