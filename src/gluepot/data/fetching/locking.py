"""One fetch at a time, and errors of the disk as sentences."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path

from gluepot.data.folders import data_root
from gluepot.errors import GluepotError


@contextmanager
def disk_trouble_said() -> Iterator[None]:
    """An error of the disk as a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (ENOSPC, EDQUOT):
            text = f"the disk with {data_root()} is full. No half-written file is left; make room and run the same command again."
        else:
            text = f"could not use {error.filename or data_root()}: {error.strerror or error}."
        raise GluepotError(text) from error


@contextmanager
def alone(cache: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Waits until no other fetch works on the same data."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another fetch is under way; waiting until it is done.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
