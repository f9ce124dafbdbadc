"""Report of a fetch: available files, missing files and errors."""

from collections.abc import Iterator

from msgspec import Struct

from gluepot.data.checksums import digest_of
from gluepot.data.fetching.origins import Origin, WantedFile, choose, wanted_files
from gluepot.data.fetching.shelf import DataFolder, DataFolders, Status
from gluepot.data.folders import data_root
from gluepot.errors import DataMissing, GluepotError
from gluepot.records import Task


class FileReport(Struct, frozen=True):
    """One official file after a fetch; its path begins with the data folder's name."""

    path: str
    sha256: str
    bytes: int
    status: Status


class FetchReport(Struct):
    """Result of a fetch: available files, missing files, and errors."""

    suite: str
    files: list[FileReport] = []
    missing: list[str] = []
    failures: list[GluepotError] = []

    @property
    def exit_code(self) -> int:
        return self.failures[0].exit_code if self.failures else 0


def some(names: list[str], most: int = 20) -> str:
    """Join the first names of a list, with the number of the others.

    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "nothing") + more


def report(result: FetchReport, shelves: DataFolders, origins: list[Origin], tasks: list[Task]) -> FetchReport:
    """Add the current state of all wanted files to a report."""
    homeless = [task for task in tasks if all(choose(source, "archive") is None for source in task.sources)]
    wants = dict.fromkeys(want for origin in origins for want in origin.wants)
    for task in homeless:
        wants.update(dict.fromkeys(wanted_files(task, task.data)))
    for want in wants:
        _report_want(result, shelves[want.folder], want)
    for shelf in shelves.values():
        told = {file.path for file in result.files}
        result.files += [described(shelf, path) for path in sorted(shelf.fetched) if f"{shelf.name}/{path}" not in told]
    for task in homeless:
        if gone := [f"{w.folder}/{w.pattern}" for w in wanted_files(task, task.data) if f"{w.folder}/{w.pattern}" in result.missing]:
            text = f"{task.path}: no archive or hub repository is declared; put {', '.join(gone)} into {data_root()} yourself"
            result.failures.append(DataMissing(f"{text} ({task.link})."))
    result.failures += _other_versions(result, shelves)
    return result


def _report_want(result: FetchReport, shelf: DataFolder, want: WantedFile) -> None:
    paths = shelf.paths(want.pattern)
    states = {path: shelf.status(path) for path in paths}
    result.missing += [f"{shelf.name}/{path}" for path in paths or [want.pattern] if states.get(path, "absent") == "absent"]
    result.files += [described(shelf, path) for path in paths if states[path] != "absent"]
    for path in (path for path in paths if states[path] == "differs"):
        old, new = shelf.lock.files[path].sha256, digest_of(shelf.folder / path)
        text = f"{shelf.name}/{path} is not what was fetched: sha256 {old} is recorded, {new} is here. `--force` fetches it again."
        result.failures.append(GluepotError(text))


def _other_versions(result: FetchReport, shelves: DataFolders) -> Iterator[GluepotError]:
    """Yield an error if files differ from their expected checksums."""
    odd = []
    for file in result.files:
        folder, _, path = file.path.partition("/")
        right = shelves[folder].expected(path)
        if file.status in ("fetched", "already here") and right and right[0] != file.sha256:
            odd.append(file.path)
    if odd:
        text = f"not what was published when {result.suite} was declared: {some(odd, most=3)}."
        next_step = f"`gluepot data check {result.suite}` shows the checksums, and with `--record` accepts the local files."
        yield GluepotError(f"{text} Results on other data stand in columns of their own. {next_step}")


def described(shelf: DataFolder, path: str) -> FileReport:
    target = shelf.folder / path
    return FileReport(f"{shelf.name}/{path}", digest_of(target), target.stat().st_size, shelf.status(path))
