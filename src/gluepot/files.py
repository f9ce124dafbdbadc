"""Atomic file writes, all or nothing under disk errors and concurrent processes."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PARTS, PART = 64, 16_384
"""Number and size in bytes of the parts that `sample_bytes` samples from a large file."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write to a temporary file, then rename: readers see the old file or the new one. Devices and pipes are written directly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = path.is_file() or not path.exists()
    draft = path.with_name(f".{path.name}.{os.getpid()}") if plain else path
    if plain:
        draft.unlink(missing_ok=True)
    try:
        with (
            attach_filename(path),
            draft.open("xb" if plain else "wb") as stream,
        ):  # the name is predictable: an existing file may be a symlink
            stream.write(data)
            stream.flush()
            if plain:
                os.fsync(stream.fileno())
        if plain:
            draft.replace(path)
    finally:
        if plain:
            draft.unlink(missing_ok=True)


def append_atomically(path: Path, data: bytes) -> None:
    """Append to a file, all or nothing; symlinks are refused.

    A full disk accepts the first part before it reports the error, so the file is truncated to its former size.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab", buffering=0, opener=_open_itself) as stream, locked(stream):
        before, left = os.fstat(stream.fileno()).st_size, memoryview(data)
        try:
            with attach_filename(path):
                while left:
                    left = left[stream.write(left) :]
        except OSError:
            stream.truncate(before)
            raise


def _open_itself(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


@contextmanager
def attach_filename(path: Path) -> Iterator[None]:
    """Set the file name of an OSError raised on an open file: Python sets it only if opening fails."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextmanager
def locked(stream: IO[bytes]) -> Iterator[None]:
    """Hold an exclusive advisory lock on an open file; without a lock where the file system does not support them."""
    with suppress(OSError):
        fcntl.flock(stream, fcntl.LOCK_EX)
    try:
        yield
        stream.flush()
    finally:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_UN)


def sample_bytes(path: Path) -> bytes:
    """Return all bytes of a small file, or evenly spaced parts of a large one: trained weights differ everywhere."""
    size = path.stat().st_size
    if size <= PARTS * PART:
        return path.read_bytes()
    with path.open("rb") as stream:
        found = []
        for number in range(PARTS):
            stream.seek(number * (size - PART) // (PARTS - 1))
            found.append(stream.read(PART))
        return b"".join(found)
