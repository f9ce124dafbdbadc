"""Origins of tasks' files: which archive or repository to open, and which of its members to fetch."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import IO, Any, Literal, Protocol

from gluepot.data.fetching.archives import Watch, host_of, open_archive
from gluepot.data.fetching.hub import is_commit, open_repository
from gluepot.data.fetching.locking import Downloads
from gluepot.errors import WrongUse
from gluepot.records import Source, Task

Kind = Literal["archive", "hub"]
COMPANIONS = ("*sheet.tsv", "README*", "*.md", "*.txt")
"""Files fetched from an archive along with a wanted file in the same folder."""


@dataclass(frozen=True)
class WantedFile:
    """A declared path (or pattern), the data folder it belongs in, and the folder of the source that contains it."""

    folder: str
    pattern: str
    prefix: str


@dataclass
class Origin:
    """One archive or hub repository and everything to fetch from it."""

    kind: Kind
    locator: str
    pin: str | None
    wants: dict[WantedFile, None] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"hub:{self.locator}" if self.kind == "hub" else self.locator

    @property
    def host(self) -> str:
        return "hub" if self.kind == "hub" else host_of(self.locator)

    @property
    def noun(self) -> str:
        return "commit" if self.kind == "hub" else "sha256"

    @property
    def exact(self) -> bool:
        """Whether the pin identifies one version; a branch or a tag does not."""
        return self.pin is not None and (self.kind == "archive" or is_commit(self.pin))

    def open(self, downloads: Downloads, watch: Watch) -> "AbstractContextManager[RemoteFiles]":
        if self.kind == "hub":
            return open_repository(self.locator, self.pin, downloads, watch)
        return open_archive(self.locator, downloads, watch)


class RemoteFiles(Protocol):
    """An opened archive or hub repository."""

    identity: str
    length: int | None

    @property
    def members(self) -> Mapping[str, Any]: ...
    def size(self, name: str) -> int | None: ...
    def open(self, name: str) -> IO[bytes]: ...
    def finish(self) -> None: ...


def plan(tasks: Iterable[Task], prefer: Kind = "archive") -> list[Origin]:
    """Collect each archive and repository once, with everything that the tasks need from it."""
    origins: dict[str, Origin] = {}
    for task in tasks:
        for source in task.sources:
            found = choose(source, prefer)
            if found is None:
                continue
            origin = origins.setdefault(found.key, found)
            if found.pin and origin.pin and found.pin != origin.pin:
                raise WrongUse(f"{task.path}: {found.locator} is pinned to {found.pin} here and to {origin.pin} in another task.")
            origin.pin = origin.pin or found.pin
            origin.wants.update(dict.fromkeys(wanted_files(task, source)))
    return list(origins.values())


def choose(source: Source, prefer: Kind) -> Origin | None:
    """Return the origin of a source's files: where it declares both kinds, the preferred one."""
    if source.hub and (prefer == "hub" or not source.archive):
        return Origin("hub", source.hub, source.revision)
    return Origin("archive", source.archive, source.sha256) if source.archive else None


def wanted_files(task: Task, source: Source) -> list[WantedFile]:
    named = [[paths] if isinstance(paths, str) else paths for paths in source.files.values()]
    return [WantedFile(source.folder or task.suite, path, source.prefix.strip("/")) for paths in named for path in paths]


def match(want: WantedFile, names: Iterable[str]) -> dict[str, str]:
    """Map the source's files that match a declared path to their place in the data folder.

    Hub repositories of one task lack the task's own folder, those of a suite often add one named data:

    >>> match(WantedFile("faroe", "tweets/data/test-*.parquet", ""), ["README.md", "data/test-0.parquet"])
    {'data/test-0.parquet': 'tweets/data/test-0.parquet'}
    >>> match(WantedFile("faroe", "nli/nli_test.jsonl", ""), ["data/nli/nli_test.jsonl"])
    {'data/nli/nli_test.jsonl': 'nli/nli_test.jsonl'}
    """
    first, slash, rest = want.pattern.partition("/")
    base = f"{want.prefix}/" if want.prefix else ""
    for above, pattern, lead in ((base, want.pattern, ""), (f"{base}data/", want.pattern, ""), (base, rest, first + slash)):
        found = [name for name in names if fits(name, above + pattern)]
        if found:
            return {name: lead + name.removeprefix(above) for name in found}
    return {}


def fits(name: str, pattern: str) -> bool:
    """Return whether a path matches a pattern folder by folder, as in a shell; unsafe paths never match."""
    names, patterns = name.split("/"), pattern.split("/")
    safe = not {"..", "."} & set(names)
    return safe and len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))


def companions(found: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return the sheets and READMEs beside the found files, with their places."""
    folders = {PurePosixPath(name).parent: PurePosixPath(place).parent for name, place in found.items()}
    beside = {}
    for path in map(PurePosixPath, names):
        if path.parent in folders and any(fnmatchcase(path.name, pattern) for pattern in COMPANIONS):
            beside[str(path)] = str(folders[path.parent] / path.name)
    return beside
