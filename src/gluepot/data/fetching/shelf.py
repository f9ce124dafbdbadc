"""The folder of a suite's files, what is known of them, and the lock that says what earlier fetches resolved."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from gluepot.data.checksums import declared_sums, digest_of
from gluepot.data.folders import data_folder, data_root
from gluepot.errors import GluepotError
from gluepot.tasks.search_path import known_folder

Status = Literal["fetched", "already here", "kept", "differs", "absent"]
LOCK = ".gluepot-lock.json"


class ResolvedSource(Struct, frozen=True):
    """What a source turned out to be when it was fetched: the archive's sha256 or the repository's commit."""

    identity: str
    date: str
    bytes: int | None = None


class FetchedFile(Struct, frozen=True):
    """One file as it was put in place."""

    sha256: str
    bytes: int
    source: str


class RecordedFile(Struct, frozen=True):
    """One file as somebody accepted it."""

    sha256: str
    date: str


class Lock(Struct, omit_defaults=True):
    """What earlier fetches resolved; later ones must equal it."""

    sources: dict[str, ResolvedSource] = {}
    globs: dict[str, list[str]] = {}
    """The files that a pattern stood for: all of them must be here before it counts as fetched."""
    files: dict[str, FetchedFile] = {}
    recorded: dict[str, RecordedFile] = {}
    """What somebody took for right, though nobody published it or it was published otherwise."""


class DataFolder:
    """One data folder with its lock."""

    def __init__(self, name: str) -> None:
        declared = known_folder(name)
        self.name, self.folder = name, data_folder(declared) if declared else data_root() / name
        self.lock = read_lock(self.folder / LOCK)
        self.declared = declared_sums(declared) if declared else {}
        self.fetched: set[str] = set()

    def expected(self, path: str) -> tuple[str, str] | None:
        """The sha256 that a file should have, and by whose word: recorded here, published, or fetched."""
        if path in self.lock.recorded:
            return self.lock.recorded[path].sha256, "recorded"
        if path in self.declared:
            return self.declared[path], "published"
        return (self.lock.files[path].sha256, "fetched") if path in self.lock.files else None

    def record(self, path: str) -> bool:
        """Accepts a file as it is here; whether that is news."""
        here, expected = digest_of(self.folder / path), self.expected(path)
        if here == self.declared.get(path):
            return self.lock.recorded.pop(path, None) is not None
        if expected and here == expected[0]:
            return False
        self.lock.recorded[path] = RecordedFile(here, datetime.now(UTC).isoformat(timespec="seconds"))
        return True

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
        entry, here = self.lock.files.get(path), digest_of(self.folder / path)
        if entry is not None and here == entry.sha256:
            return "already here"
        accepted = self.lock.recorded.get(path)
        return "kept" if entry is None or (accepted and accepted.sha256 == here) else "differs"

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


class Shelves(dict[str, DataFolder]):
    """Data folders by their name, each looked at once."""

    def __missing__(self, name: str) -> DataFolder:
        self[name] = shelf = DataFolder(name)
        return shelf


def read_lock(path: Path) -> Lock:
    if not path.is_file():
        return Lock()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Lock)
    except msgspec.DecodeError as error:
        raise GluepotError(f"{path}: not a lock that gluepot wrote: {error}. Remove it to fetch afresh.") from error
