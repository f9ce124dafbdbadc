"""The folder of a suite's files and the lock that says what earlier fetches resolved."""

from functools import cache
from hashlib import file_digest
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from gluepot.data.folders import suite_folder
from gluepot.errors import GluepotError

Status = Literal["fetched", "already here", "kept", "differs", "absent"]
LOCK = ".gluepot-lock.json"


class Resolved(Struct, frozen=True):
    """What a source turned out to be when it was fetched: the archive's sha256 or the repository's commit."""

    identity: str
    date: str
    bytes: int | None = None


class Entry(Struct, frozen=True):
    """One file as it was put in place."""

    sha256: str
    bytes: int
    source: str


class Lock(Struct):
    """What earlier fetches resolved; later ones must equal it."""

    sources: dict[str, Resolved] = {}
    globs: dict[str, list[str]] = {}
    """The files that a pattern stood for: all of them must be here before it counts as fetched."""
    files: dict[str, Entry] = {}


class Shelf:
    """One data folder with its lock."""

    def __init__(self, name: str) -> None:
        self.name, self.folder = name, suite_folder(name)
        self.lock = read_lock(self.folder / LOCK)
        self.fetched: set[str] = set()

    def paths(self, pattern: str) -> list[str]:
        """The files that a declared path stands for, as far as it is known before the source is asked."""
        if "*" not in pattern:
            return [pattern]
        here = [path.relative_to(self.folder).as_posix() for path in self.folder.glob(pattern)]
        return sorted({*here, *self.lock.globs.get(pattern, [])})

    def status(self, path: str) -> Status:
        """fetched, already here, kept (somebody else put it there), differs, or absent."""
        if not (self.folder / path).is_file():
            return "absent"
        if path in self.fetched:
            return "fetched"
        entry = self.lock.files.get(path)
        if entry is None:
            return "kept"
        return "already here" if digest_of(self.folder / path) == entry.sha256 else "differs"

    def wants(self, pattern: str, *, force: bool) -> bool:
        """Whether something of it must be fetched; what somebody else put here is never replaced."""
        states = {self.status(path) for path in self.paths(pattern)}
        return not states or "absent" in states or (force and states != {"kept"})

    def temporary(self, path: str) -> Path:
        """A name of its own beside the target; always the same one, so that even a killed fetch leaves nothing for long."""
        target = self.folder / path
        return target.with_name(f".{target.name}.gluepot-part")

    def save(self) -> None:
        data = msgspec.json.format(msgspec.json.encode(self.lock, order="sorted"), indent=2)
        temporary = self.temporary(LOCK)
        try:
            temporary.write_bytes(data + b"\n")
            temporary.replace(self.folder / LOCK)
        finally:
            temporary.unlink(missing_ok=True)


def read_lock(path: Path) -> Lock:
    if not path.is_file():
        return Lock()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Lock)
    except msgspec.DecodeError as error:
        raise GluepotError(f"{path}: not a lock that gluepot wrote: {error}. Remove it to fetch afresh.") from error


def digest_of(path: Path) -> str:
    """The sha256 of a file, read once as long as the file stays the same."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@cache
def _digest(path: Path, _size: int, _time: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
