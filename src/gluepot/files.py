"""Files that are written whole or not at all, whatever the disk and other processes do meanwhile."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PARTS, PART = 64, 16_384
"""How many bytes of a large file vouch for the others."""


def write_whole(path: Path, data: bytes) -> None:
    """Write beside the place, then rename: readers see the old file or the new one. A device or pipe is written to as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = path.is_file() or not path.exists()
    draft = path.with_name(f".{path.name}.{os.getpid()}") if plain else path
    if plain:
        draft.unlink(missing_ok=True)
    try:
        with naming(path), draft.open("xb" if plain else "wb") as stream:  # its name can be guessed: what lies there may be a link
            stream.write(data)
            stream.flush()
            if plain:
                os.fsync(stream.fileno())
        if plain:
            draft.replace(path)
    finally:
        if plain:
            draft.unlink(missing_ok=True)


def append_whole(path: Path, data: bytes) -> None:
    """Add to the end of a file, all or nothing: a disk that fills up takes the first part and only then says so. A link is refused."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab", buffering=0, opener=_open_itself) as stream, locked(stream):
        before, left = os.fstat(stream.fileno()).st_size, memoryview(data)
        try:
            with naming(path):
                while left:
                    left = left[stream.write(left) :]
        except OSError:
            stream.truncate(before)
            raise


def _open_itself(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What goes wrong with an open file says which one it was: Python tells that only of files that cannot be opened."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextmanager
def locked(stream: IO[bytes]) -> Iterator[None]:
    """Alone with an open file among all who ask; where a file system has no locks, as if alone."""
    with suppress(OSError):
        fcntl.flock(stream, fcntl.LOCK_EX)
    try:
        yield
        stream.flush()
    finally:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_UN)


def some_bytes(path: Path) -> bytes:
    """All of a small file; of a large one parts at even distances: weights that were trained on differ everywhere."""
    size = path.stat().st_size
    if size <= PARTS * PART:
        return path.read_bytes()
    with path.open("rb") as stream:
        found = []
        for number in range(PARTS):
            stream.seek(number * (size - PART) // (PARTS - 1))
            found.append(stream.read(PART))
        return b"".join(found)
