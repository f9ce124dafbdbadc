"""File locks: a lock ends with its holder, however that ends, which a PID written into a file does not."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED, EXCLUSIVE = fcntl.LOCK_SH, fcntl.LOCK_EX


def open_lock(path: Path) -> int:
    """Open the lock file, creating it for its owner only if missing; it is closed on exec."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take(lock: int, kind: int) -> None:
    """Wait for the lock and hold it until the file is closed."""
    fcntl.flock(lock, kind)


def try_to_take(lock: int, kind: int) -> bool:
    """Take the lock if it is free; return whether it was taken."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open the lock file for a block; a lock taken in it is released at its end."""
    lock = open_lock(path)
    try:
        yield lock
    finally:
        os.close(lock)
