"""Gets official files: plans what comes from where, compares with what earlier fetches resolved, puts all in place or nothing."""

import fcntl
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from errno import EDQUOT, ENOSPC
from fnmatch import fnmatchcase
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal, Protocol

import msgspec
from msgspec import Struct

from gluepot.data.archives import CHUNK, Unreachable, Watch, host_of, open_archive
from gluepot.data.folders import BUNDLED, data_root, suite_folder
from gluepot.data.hub import is_commit, open_repository
from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.records import Source, Suite, Task

Kind = Literal["archive", "hub"]
Status = Literal["fetched", "already here", "kept", "differs", "absent"]
LOCK = ".gluepot-lock.json"
DOWNLOADS = ".downloads"
COMPANIONS = ("*sheet.tsv", "README*", "*.md", "*.txt")
"""What comes along from an archive when it lies beside a wanted file."""


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


class File(Struct, frozen=True):
    """One official file after a fetch; its path begins with the data folder's name."""

    path: str
    sha256: str
    bytes: int
    status: Status


class Report(Struct):
    """What a fetch did, what is still missing, and why."""

    suite: str
    files: list[File] = []
    missing: list[str] = []
    failures: list[GluepotError] = []

    @property
    def exit_code(self) -> int:
        return self.failures[0].exit_code if self.failures else 0


@dataclass(frozen=True)
class Want:
    """A declared path (or pattern), the data folder it belongs in, and the folder of the source that it lies below."""

    folder: str
    pattern: str
    prefix: str


@dataclass
class Origin:
    """One archive or hub repository and everything that is wanted of it."""

    kind: Kind
    locator: str
    pin: str | None
    wants: dict[Want, None] = field(default_factory=dict)

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
        """Whether the pin names one version; a branch or a tag does not."""
        return self.pin is not None and (self.kind == "archive" or is_commit(self.pin))

    def open(self, cache: Path, watch: Watch) -> "AbstractContextManager[Remote]":
        if self.kind == "hub":
            return open_repository(self.locator, self.pin, cache, watch)
        return open_archive(self.locator, cache, watch)


class Remote(Protocol):
    """An opened archive or hub repository."""

    identity: str
    length: int | None

    @property
    def members(self) -> Mapping[str, Any]: ...
    def size(self, name: str) -> int | None: ...
    def open(self, name: str) -> IO[bytes]: ...
    def finish(self) -> None: ...


@dataclass(frozen=True)
class Staged:
    """A file that is complete beside its place, under another name."""

    shelf: "Shelf"
    path: str
    sha256: str
    bytes: int


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


def plan(tasks: Iterable[Task], prefer: Kind = "archive") -> list[Origin]:
    """Each archive and repository once, with all that the tasks want of it."""
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
            origin.wants.update(dict.fromkeys(wants_of(task, source)))
    return list(origins.values())


def choose(source: Source, prefer: Kind) -> Origin | None:
    """Where a source's files are got: where it declares both, the preferred one."""
    if source.hub and (prefer == "hub" or not source.archive):
        return Origin("hub", source.hub, source.revision)
    return Origin("archive", source.archive, source.sha256) if source.archive else None


def wants_of(task: Task, source: Source) -> list[Want]:
    named = [[paths] if isinstance(paths, str) else paths for paths in source.files.values()]
    return [Want(source.folder or task.suite, path, source.prefix.strip("/")) for paths in named for path in paths]


def match(want: Want, names: Iterable[str]) -> dict[str, str]:
    """The source's files that a declared path means, each with its place in the data folder.

    Hub repositories of one task lack the task's own folder:

    >>> match(Want("scandeval-da", "angry-tweets/data/test-*.parquet", ""), ["README.md", "data/test-0.parquet"])
    {'data/test-0.parquet': 'angry-tweets/data/test-0.parquet'}
    """
    first, slash, rest = want.pattern.partition("/")
    base = f"{want.prefix}/" if want.prefix else ""
    for pattern, lead in ((want.pattern, ""), (rest, first + slash)):
        found = [name for name in names if fits(name, base + pattern)]
        if found:
            return {name: lead + name.removeprefix(base) for name in found}
    return {}


def fits(name: str, pattern: str) -> bool:
    """Whether a path matches a pattern folder by folder, as in a shell."""
    names, patterns = name.split("/"), pattern.split("/")
    safe = not {"..", "."} & set(names)
    return safe and len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))


def companions(found: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Sheets and READMEs that lie beside the found files."""
    folders = {PurePosixPath(name).parent: PurePosixPath(place).parent for name, place in found.items()}
    beside = {}
    for path in map(PurePosixPath, names):
        if path.parent in folders and any(fnmatchcase(path.name, pattern) for pattern in COMPANIONS):
            beside[str(path)] = str(folders[path.parent] / path.name)
    return beside


class Desk:
    """One fetch at work."""

    def __init__(self, *, force: bool, watch: Watch) -> None:
        self.force, self.watch = force, watch
        self.shelves: dict[str, Shelf] = {}
        self.failures: list[GluepotError] = []
        self.down: set[str] = set()
        self.stale: list[tuple[Shelf, str]] = []

    def shelf(self, name: str) -> Shelf:
        if name not in self.shelves:
            self.shelves[name] = Shelf(name)
        return self.shelves[name]

    def needed(self, origin: Origin) -> list[Want]:
        """What must be fetched: what is absent, and all of it where the declaration has moved to another version."""
        if self._outdated(origin):
            return list(origin.wants)
        return [want for want in origin.wants if self.shelf(want.folder).wants(want.pattern, force=self.force)]

    def fetch(self, origin: Origin) -> None:
        """One origin; what goes wrong with it does not keep the others from being fetched."""
        if origin.host in self.down or not (wants := self.needed(origin)):
            return
        try:
            with disk_trouble_said():
                self._fetch(origin, wants)
        except Unreachable as error:
            self.down.add(origin.host)
            self.failures.append(error)
        except GluepotError as error:
            self.failures.append(error)

    def _fetch(self, origin: Origin, wants: list[Want]) -> None:
        if old := self._outdated(origin):
            raise changed(origin, old, str(origin.pin))
        with origin.open(data_root() / DOWNLOADS, self.watch) as remote:
            self._compare(origin, remote.identity)
            picks, lacking = self._pick(origin, wants, remote)
            self._put_in_place(origin, remote, picks)
            held = some(list(remote.members))
        if lacking:
            raise GluepotError(f"{origin.locator} does not hold {', '.join(lacking)}. It holds: {held}.")

    def _outdated(self, origin: Origin) -> Resolved | None:
        """What was recorded, where the declaration now names another version and nobody forced it."""
        if self.force or not origin.exact:
            return None
        return next((old for old in self._recorded(origin) if old.identity != origin.pin), None)

    def _recorded(self, origin: Origin) -> Iterator[Resolved]:
        for folder in dict.fromkeys(want.folder for want in origin.wants):
            if old := self.shelf(folder).lock.sources.get(origin.key):
                yield old

    def _compare(self, origin: Origin, identity: str) -> None:
        """Refuses another version than the declared one always, and another than the recorded one unless forced."""
        if origin.exact and identity != origin.pin:
            raise GluepotError(f"{origin.locator}: {origin.noun} {origin.pin} is declared, but {identity} came. Nothing was changed.")
        for old in self._recorded(origin):
            if old.identity != identity and not self.force:
                raise changed(origin, old, identity)

    def _pick(self, origin: Origin, wants: list[Want], remote: Remote) -> tuple[dict[tuple[str, str], str], list[str]]:
        """Which file of the source goes where, as (folder, place) to name, and what the source lacks."""
        picks: dict[tuple[str, str], str] = {}
        lacking = []
        for want in wants:
            found = match(want, remote.members)
            if not found:
                lacking.append(want.pattern)
            elif "*" in want.pattern:
                self._expand(self.shelf(want.folder), want.pattern, sorted(found.values()))
            along = companions(found, remote.members) if origin.kind == "archive" else {}
            picks.update({(want.folder, place): name for name, place in {**along, **found}.items()})
        return {place: name for place, name in picks.items() if self._may_write(*place)}, lacking

    def _expand(self, shelf: Shelf, pattern: str, paths: list[str]) -> None:
        """Notes what a pattern stands for; what it stood for before and does no longer would be read along with the rest."""
        self.stale += [(shelf, path) for path in shelf.lock.globs.get(pattern, []) if path not in paths]
        shelf.lock.globs[pattern] = paths

    def _may_write(self, folder: str, place: str) -> bool:
        status = self.shelf(folder).status(place)
        return status == "absent" or (self.force and status != "kept")

    def _put_in_place(self, origin: Origin, remote: Remote, picks: dict[tuple[str, str], str]) -> None:
        """All files of a source, or none: they are complete and compared before the first takes its place."""
        order = {name: number for number, name in enumerate(remote.members)}
        try:
            # In the archive's order, because a compressed tar cannot go back.
            places = sorted(picks, key=lambda place: order[picks[place]])
            staged = [self._stage(self.shelf(folder), place, remote, picks[folder, place]) for folder, place in places]
            remote.finish()
            self._record(origin, remote, staged)
            for file in staged:
                file.shelf.temporary(file.path).replace(file.shelf.folder / file.path)
                file.shelf.fetched.add(file.path)
            for shelf, path in self.stale:
                (shelf.folder / path).unlink(missing_ok=True)
        finally:
            self.stale.clear()
            for folder, place in picks:
                self.shelf(folder).temporary(place).unlink(missing_ok=True)

    def _stage(self, shelf: Shelf, place: str, remote: Remote, name: str) -> Staged:
        temporary = shelf.temporary(place)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        with remote.open(name) as stream, temporary.open("wb") as file:
            digest, size = copy(stream, file)
        if remote.size(name) not in (size, None):
            raise GluepotError(f"{name} is {size:,} bytes long, but {remote.size(name):,} were announced. Nothing was changed.")
        old = shelf.lock.files.get(place)
        if old and old.sha256 != digest and not self.force:
            raise GluepotError(
                f"{shelf.name}/{place} has changed: sha256 {old.sha256} was fetched from {old.source}, now it is {digest}. "
                "`--force` accepts the new one."
            )
        return Staged(shelf, place, digest, size)

    def _record(self, origin: Origin, remote: Remote, staged: list[Staged]) -> None:
        """Into the locks, before the files move: a fetch that dies in between finds them absent and gets them again."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for shelf, path in self.stale:
            shelf.lock.files.pop(path, None)
        for shelf in {file.shelf.name: file.shelf for file in staged}.values():
            shelf.lock.sources[origin.key] = Resolved(remote.identity, now, remote.length)
            shelf.lock.files.update({f.path: Entry(f.sha256, f.bytes, origin.key) for f in staged if f.shelf is shelf})
            shelf.save()


def copy(stream: IO[bytes], file: IO[bytes]) -> tuple[str, int]:
    """Copies piece by piece; returns the sha256 and the size."""
    digest, size = sha256(), 0
    while chunk := stream.read(CHUNK):
        file.write(chunk)
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def changed(origin: Origin, old: Resolved, new: str) -> GluepotError:
    return GluepotError(
        f"{origin.locator} has changed: {origin.noun} {old.identity} was fetched on {old.date[:10]}, now it is {new}. "
        "Nothing was replaced; `--force` accepts the new one."
    )


def some(names: list[str], most: int = 20) -> str:
    """The first names of a list, and how many more there are.

    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "nothing") + more


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


def silent(*_: object) -> None:
    pass


def fetch(
    suite: Suite,
    task: Task | None = None,
    *,
    prefer: Kind = "archive",
    force: bool = False,
    watch: Watch = silent,
    say: Callable[[str], None] = silent,
) -> Report:
    """Brings a suite's (or one task's) official files into the data folder and reports on each."""
    if suite.name == BUNDLED:
        return Report(suite.name)
    tasks = [task] if task else list(suite.tasks.values())
    origins = plan(tasks, prefer)
    desk = Desk(force=force, watch=watch)
    with disk_trouble_said():
        if any(desk.needed(origin) for origin in origins):
            with alone(data_root() / DOWNLOADS, say):
                desk = Desk(force=force, watch=watch)  # what lies here may have changed while we waited
                for origin in origins:
                    desk.fetch(origin)
        return report(suite.name, desk, origins, tasks)


def report(name: str, desk: Desk, origins: list[Origin], tasks: list[Task]) -> Report:
    """What lies here now of all that was wanted."""
    result = Report(name, failures=list(desk.failures))
    homeless = [task for task in tasks if all(choose(source, "archive") is None for source in task.sources)]
    wants = dict.fromkeys(want for origin in origins for want in origin.wants)
    for task in homeless:
        wants.update(dict.fromkeys(wants_of(task, task.data)))
    for want in wants:
        _report_want(result, desk.shelf(want.folder), want)
    for shelf in desk.shelves.values():
        told = {file.path for file in result.files}
        result.files += [described(shelf, path) for path in sorted(shelf.fetched) if f"{shelf.name}/{path}" not in told]
    for task in homeless:
        if gone := [f"{w.folder}/{w.pattern}" for w in wants_of(task, task.data) if f"{w.folder}/{w.pattern}" in result.missing]:
            text = f"{task.path}: no archive or hub repository is declared; put {', '.join(gone)} into {data_root()} yourself"
            result.failures.append(DataMissing(f"{text} ({task.link})."))
    return result


def _report_want(result: Report, shelf: Shelf, want: Want) -> None:
    paths = shelf.paths(want.pattern)
    states = {path: shelf.status(path) for path in paths}
    result.missing += [f"{shelf.name}/{path}" for path in paths or [want.pattern] if states.get(path, "absent") == "absent"]
    result.files += [described(shelf, path) for path in paths if states[path] != "absent"]
    for path in (path for path in paths if states[path] == "differs"):
        old, new = shelf.lock.files[path].sha256, digest_of(shelf.folder / path)
        text = f"{shelf.name}/{path} is not what was fetched: sha256 {old} is recorded, {new} is here. `--force` fetches it again."
        result.failures.append(GluepotError(text))


def described(shelf: Shelf, path: str) -> File:
    target = shelf.folder / path
    return File(f"{shelf.name}/{path}", digest_of(target), target.stat().st_size, shelf.status(path))
