"""Fetching of official files: plan the origins, compare with what earlier fetches resolved, put all files in place or none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import IO

from gluepot.data.fetching.archives import CHUNK, Unreachable, Watch
from gluepot.data.fetching.locking import Downloads, readable_disk_errors
from gluepot.data.fetching.origins import Kind, Origin, RemoteFiles, WantedFile, companions, match, plan
from gluepot.data.fetching.reports import FetchReport, report, some
from gluepot.data.fetching.shelf import DataFolder, DataFolders, FetchedFile, RecordedFile, ResolvedSource
from gluepot.data.folders import data_root
from gluepot.errors import GluepotError
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task

DOWNLOADS = ".downloads"


@dataclass(frozen=True)
class StagedFile:
    """A complete file beside its destination, under a temporary name."""

    shelf: DataFolder
    path: str
    sha256: str
    bytes: int


class FetchSession:
    """State of one fetch."""

    def __init__(self, downloads: Downloads, *, force: bool, watch: Watch) -> None:
        self.downloads, self.force, self.watch = downloads, force, watch
        self.shelves, self.claimed = DataFolders(), False
        self.failures: list[GluepotError] = []
        self.down: set[str] = set()
        self.stale: list[tuple[DataFolder, str]] = []

    def needed(self, origin: Origin) -> list[WantedFile]:
        """Return what must be fetched: absent files, or all of them if the declaration names another version."""
        if self._outdated(origin):
            return list(origin.wants)
        return [want for want in origin.wants if self.shelves[want.folder].wants(want.pattern, force=self.force)]

    def fetch(self, origin: Origin) -> None:
        """Fetch one origin; a failure is recorded and does not prevent the others from being fetched."""
        if origin.host in self.down or not (wants := self.needed(origin)):
            return
        try:
            with readable_disk_errors():
                self._fetch(origin, wants)
        except Unreachable as error:
            self.down.add(origin.host)
            self._note_unreachable(error)
        except GluepotError as error:
            self.failures.append(error)

    def _note_unreachable(self, error: Unreachable) -> None:
        for number, earlier in enumerate(self.failures):
            if isinstance(earlier, Unreachable):
                self.failures[number] = earlier.joined(error)
                return
        self.failures.append(error)

    def _fetch(self, origin: Origin, wants: list[WantedFile]) -> None:
        if old := self._outdated(origin):
            raise changed(origin, old, str(origin.pin))
        with origin.open(self.downloads, self.watch) as remote:
            self._claim()
            self._compare(origin, remote.identity)
            picks, lacking = self._pick(origin, wants, remote)
            self._put_in_place(origin, remote, picks)
            held = some(list(remote.members))
        if lacking:
            raise GluepotError(f"{origin.locator} does not hold {', '.join(lacking)}. It holds: {held}.")

    def _claim(self) -> None:
        """Claim the downloads before the first write: other fetches wait, and what they added before is read again."""
        if not self.claimed:
            self.downloads.claim()
            self.shelves.clear()
        self.claimed = True

    def _outdated(self, origin: Origin) -> ResolvedSource | None:
        """Return the recorded source if the declaration names another version and `force` is off."""
        if self.force or not origin.exact:
            return None
        return next((old for old in self._recorded(origin) if old.identity != origin.pin), None)

    def _recorded(self, origin: Origin) -> Iterator[ResolvedSource]:
        for folder in dict.fromkeys(want.folder for want in origin.wants):
            if old := self.shelves[folder].lock.sources.get(origin.key):
                yield old

    def _compare(self, origin: Origin, identity: str) -> None:
        """Reject a version other than the declared one, and, unless forced, other than the recorded one."""
        if origin.exact and identity != origin.pin:
            raise GluepotError(f"{origin.locator}: {origin.noun} {origin.pin} is declared, but {identity} came. Nothing was changed.")
        for old in self._recorded(origin):
            if old.identity != identity and not self.force:
                raise changed(origin, old, identity)

    def _pick(self, origin: Origin, wants: list[WantedFile], remote: RemoteFiles) -> tuple[dict[tuple[str, str], str], list[str]]:
        """Map (folder, place) to the file of the source that goes there, and list the patterns it lacks."""
        picks: dict[tuple[str, str], str] = {}
        lacking = []
        for want in wants:
            found = match(want, remote.members)
            if not found:
                lacking.append(want.pattern)
            elif "*" in want.pattern:
                self._expand(self.shelves[want.folder], want.pattern, sorted(found.values()))
            along = companions(found, remote.members) if origin.kind == "archive" else {}
            picks.update({(want.folder, place): name for name, place in {**along, **found}.items()})
        return {place: name for place, name in picks.items() if self._may_write(*place)}, lacking

    def _expand(self, shelf: DataFolder, pattern: str, paths: list[str]) -> None:
        """Record the matches of a pattern; former matches are stale, as they would still be read with the rest."""
        self.stale += [(shelf, path) for path in shelf.lock.globs.get(pattern, []) if path not in paths]
        shelf.lock.globs[pattern] = paths

    def _may_write(self, folder: str, place: str) -> bool:
        status = self.shelves[folder].status(place)
        return status == "absent" or (self.force and status != "kept")

    def _put_in_place(self, origin: Origin, remote: RemoteFiles, picks: dict[tuple[str, str], str]) -> None:
        """Put all files of a source in place, or none: they are complete and compared before the first is moved."""
        order = {name: number for number, name in enumerate(remote.members)}
        try:
            # In the archive's order, because a compressed tar cannot seek backwards.
            places = sorted(picks, key=lambda place: order[picks[place]])
            staged = [self._stage(self.shelves[folder], place, remote, picks[folder, place]) for folder, place in places]
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
                self.shelves[folder].temporary(place).unlink(missing_ok=True)

    def _stage(self, shelf: DataFolder, place: str, remote: RemoteFiles, name: str) -> StagedFile:
        temporary = shelf.temporary(place)
        with remote.open(name) as stream:
            self.downloads.make(temporary.parent)
            with temporary.open("wb") as file:
                digest, size = copy(stream, file)
        if remote.size(name) not in (size, None):
            raise GluepotError(f"{name} is {pluralize(size, 'byte')} long, but {remote.size(name):,} were announced. Nothing was changed.")
        old = shelf.lock.files.get(place)
        if old and old.sha256 != digest and not self.force:
            raise GluepotError(
                f"{shelf.name}/{place} has changed: sha256 {old.sha256} was fetched from {old.source}, now it is {digest}. "
                "`--force` accepts the new one."
            )
        return StagedFile(shelf, place, digest, size)

    def _record(self, origin: Origin, remote: RemoteFiles, staged: list[StagedFile]) -> None:
        """Write the locks before the files move: after an interrupted fetch they are absent and fetched again."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for shelf, path in self.stale:
            shelf.lock.files.pop(path, None)
        for shelf in {file.shelf.name: file.shelf for file in staged}.values():
            shelf.lock.sources[origin.key] = ResolvedSource(remote.identity, now, remote.length)
            for file in (file for file in staged if file.shelf is shelf):
                shelf.lock.files[file.path] = FetchedFile(file.sha256, file.bytes, origin.key)
                shelf.lock.recorded.pop(file.path, None)
                if self.force and file.sha256 != shelf.declared.get(file.path, file.sha256):
                    shelf.lock.recorded[file.path] = RecordedFile(file.sha256, now)  # force accepts the change
            shelf.save()


def copy(stream: IO[bytes], file: IO[bytes]) -> tuple[str, int]:
    """Copy a stream in chunks; return the sha256 and the size."""
    digest, size = sha256(), 0
    while chunk := stream.read(CHUNK):
        file.write(chunk)
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def changed(origin: Origin, old: ResolvedSource, new: str) -> GluepotError:
    return GluepotError(
        f"{origin.locator} has changed: {origin.noun} {old.identity} was fetched on {old.date[:10]}, now it is {new}. "
        "Nothing was replaced; `--force` accepts the new one."
    )


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
) -> FetchReport:
    """Fetch the official files of a suite (or of one task) into the data folder and report on each."""
    tasks = [task] if task else list(suite.tasks.values())
    origins = plan(tasks, prefer)
    downloads = Downloads(data_root() / DOWNLOADS, say)
    desk = FetchSession(downloads, force=force, watch=watch)
    with readable_disk_errors():
        if any(desk.needed(origin) for origin in origins):
            with downloads:
                desk.shelves.clear()  # another fetch may have run while this one waited
                for origin in origins:
                    desk.fetch(origin)
        return report(FetchReport(suite.name, failures=desk.failures), desk.shelves, origins, tasks)
