"""Lock against concurrent fetches, and disk errors as readable messages."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import IO

from gluepot.data.folders import data_root
from gluepot.errors import GluepotError

LOCK = ".lock"


@contextmanager
def readable_disk_errors() -> Iterator[None]:
    """Convert errors of the disk to GluepotError with a readable message."""
    try:
        yield
    except OSError as error:
        if error.errno in (ENOSPC, EDQUOT):
            text = f"the disk with {data_root()} is full. No half-written file is left; make room and run the same command again."
        else:
            text = f"could not use {error.filename or data_root()}: {error.strerror or error}."
        raise GluepotError(text) from error


class Downloads:
    """Folder of downloads in progress: created and locked on the first write, removed when empty."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder, self._say = folder, say
        self._file: IO[str] | None = None
        self._made: list[Path] = []

    def __enter__(self) -> "Downloads":
        if (self.folder / LOCK).exists():  # another fetch may be under way
            self.claim()
        return self

    def claim(self) -> None:
        """Wait until no other fetch works on the same data; the lock is held until exit."""
        while self._file is None:
            with suppress(FileNotFoundError):  # the other fetch has just removed the folder
                self.make(self.folder)
                self._file = self._lock()

    def _lock(self) -> IO[str] | None:
        """Return the lock file, locked, or None if it was removed while waiting."""
        file = (self.folder / LOCK).open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._say("another fetch is under way; waiting until it is done.")
            fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), (self.folder / LOCK).stat()):
                return file
        file.close()
        return None

    def make(self, folder: Path) -> None:
        """Create a folder and its parents; those that stay empty are removed on exit."""
        for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            with suppress(FileExistsError):
                path.mkdir()
                self._made.append(path)

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            if {path.name for path in self.folder.iterdir()} == {LOCK}:
                (self.folder / LOCK).unlink()
                self._made.append(self.folder)
            self._file.close()
        for path in sorted(set(self._made), reverse=True):
            with suppress(OSError):  # not empty, or already removed by another fetch
                path.rmdir()
