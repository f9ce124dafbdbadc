"""Locks on files: a lock dies with its holder, however that ends, which the number of a process written into a file does not."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED, EXCLUSIVE = fcntl.LOCK_SH, fcntl.LOCK_EX


def open_lock(path: Path) -> int:
    """The file, made if need be, for its owner alone; children that execute something else do not inherit it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take(lock: int, kind: int) -> None:
    """Wait for the lock and hold it until the file is closed."""
    fcntl.flock(lock, kind)


def try_to_take(lock: int, kind: int) -> bool:
    """Hold the lock if nobody is in the way."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """The lock's file for a moment; what was taken is given back."""
    lock = open_lock(path)
    try:
        yield lock
    finally:
        os.close(lock)
