"""Data folder of a suite: expected checksums of its files, and the lock with what earlier fetches resolved."""

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
    """Identity of a source when it was fetched: the archive's sha256 or the repository's commit."""

    identity: str
    date: str
    bytes: int | None = None


class FetchedFile(Struct, frozen=True):
    """One file as fetched."""

    sha256: str
    bytes: int
    source: str


class RecordedFile(Struct, frozen=True):
    """One file as accepted by the user."""

    sha256: str
    date: str


class Lock(Struct, omit_defaults=True):
    """Results of earlier fetches; later ones must match them."""

    sources: dict[str, ResolvedSource] = {}
    globs: dict[str, list[str]] = {}
    """Files that a pattern matched: all of them must be present before it counts as fetched."""
    files: dict[str, FetchedFile] = {}
    recorded: dict[str, RecordedFile] = {}
    """Files that the user accepted although their checksum is not published or differs from the published one."""


class DataFolder:
    """One data folder with its lock."""

    def __init__(self, name: str) -> None:
        declared = known_folder(name)
        self.name, self.folder = name, data_folder(declared) if declared else data_root() / name
        self.lock = read_lock(self.folder / LOCK)
        self.declared = declared_sums(declared) if declared else {}
        self.fetched: set[str] = set()

    def expected(self, path: str) -> tuple[str, str] | None:
        """Return a file's expected sha256 and its basis: recorded here, published, or fetched."""
        if path in self.lock.recorded:
            return self.lock.recorded[path].sha256, "recorded"
        if path in self.declared:
            return self.declared[path], "published"
        return (self.lock.files[path].sha256, "fetched") if path in self.lock.files else None

    def record(self, path: str) -> bool:
        """Accept the current version of a file; return whether this changes the lock."""
        here, expected = digest_of(self.folder / path), self.expected(path)
        if here == self.declared.get(path):
            return self.lock.recorded.pop(path, None) is not None
        if expected and here == expected[0]:
            return False
        self.lock.recorded[path] = RecordedFile(here, datetime.now(UTC).isoformat(timespec="seconds"))
        return True

    def paths(self, pattern: str) -> list[str]:
        """Return the files that a declared path covers, as far as known without contacting the source."""
        if "*" not in pattern:
            return [pattern]
        here = [path.relative_to(self.folder).as_posix() for path in self.folder.glob(pattern)]
        return sorted({*here, *self.lock.globs.get(pattern, [])})

    def status(self, path: str) -> Status:
        """Return a file's status: fetched, already here, kept (put there by the user), differs, or absent."""
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
        """Return whether a pattern has files to fetch; files put there by the user are never replaced."""
        states = {self.status(path) for path in self.paths(pattern)}
        return not states or "absent" in states or (force and states != {"kept"})

    def temporary(self, path: str) -> Path:
        """Return a path beside the target; it is fixed, so that the next fetch overwrites what a killed one left."""
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


class DataFolders(dict[str, DataFolder]):
    """Data folders by name, each loaded once."""

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
