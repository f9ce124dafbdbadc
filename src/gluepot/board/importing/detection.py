"""Detection of what lies at a path: a run, output of another harness, or a submission and its suite; folders are walked."""

import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from gluepot.board.importing.drafts import ImportReport
from gluepot.board.importing.sources import SOURCES
from gluepot.errors import GluepotError
from gluepot.records import Problem, Suite
from gluepot.runs.storage.store import MANIFEST
from gluepot.strict_json import InvalidLineError, decode_strictly
from gluepot.submissions.descriptions import read_description
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.opening.entries import SubmissionFile, displayed_path, open_plain
from gluepot.submissions.opening.targets import SPLITS, named_task, path_task
from gluepot.submissions.opening.zips import explain
from gluepot.submissions.parsing.lines import BOM
from gluepot.submissions.problems import Problems
from gluepot.tasks.declarations import load_suite, load_suites
from gluepot.tasks.formats import FORMATS

DEEPEST = 8
"""Maximum depth of nested folders that are searched."""
MOST = 100_000
"""Maximum number of files listed per folder."""
FIRST_LINE = 1024**2


@dataclass(frozen=True)
class ImportItem:
    """Detected item to import."""

    kind: str
    """`run`, `submission`, or the name of a source."""
    path: Path
    suite: Suite | None = None
    together: bool = False
    """Whether it is read together with all others of its kind at the same path."""


class Finder:
    """Walks paths to detect items and reports problems on the way."""

    def __init__(self, suite: str | None, report: ImportReport) -> None:
        self.suite = load_suite(suite) if suite else None
        self.suites = [self.suite] if self.suite else load_suites()
        self.report = report

    def look(self, path: Path) -> Iterator[ImportItem]:
        """Yield all items at a path given by the user; finding none is reported as a problem."""
        try:
            found = list(self._folder(path, 0) if path.is_dir() else self._file(path) if stat.S_ISREG(path.stat().st_mode) else [])
        except (OSError, ValueError) as error:
            self._problem(path, "unreadable", f"{explain(error)}.", "Check the path.")
            return
        if not found and not any(problem.file and problem.file.startswith(displayed_path(path)) for problem in self.report.problems):
            others = " and ".join(SOURCES[name].title for name in SOURCES)
            hint = f"Known are runs, submissions to a suite (name it with --suite), {others}."
            self._problem(path, "nothing-found", "nothing here can be imported.", hint)
        yield from found

    def _folder(self, folder: Path, depth: int) -> Iterator[ImportItem]:
        """Yield the items of a folder; a folder that cannot be listed does not stop the search of others."""
        try:
            yield from list(self._inside(folder, depth))
        except OSError as error:
            self._problem(folder, "unreadable", f"cannot be listed: {explain(error)}.", "Check the permissions.")

    def _inside(self, folder: Path, depth: int) -> Iterator[ImportItem]:
        inside = self._listed(folder)
        if (folder / MANIFEST).is_file():
            yield ImportItem("run", folder)
        elif any(path.is_dir() and path.name == "predictions" and any(path.glob("seed-*")) for path in inside):
            self._problem(folder, "broken-run", f"a run without its {MANIFEST}.", "Import the whole run folder.")
        elif measured := [ImportItem(name, part, together=True) for name in SOURCES for part in SOURCES[name].folders(folder)]:
            yield from measured
            taken = {place for one in measured for place in (one.path, *one.path.parents)}
            if folder not in [one.path for one in measured]:  # its files are repeats, not other items
                yield from self._walk([path for path in inside if path not in taken], folder, depth)
        elif (suite := self._submitted(folder, inside)) is not None:
            yield ImportItem("submission", folder, suite)
        else:
            yield from self._walk(inside, folder, depth)

    def _walk(self, inside: Iterable[Path], folder: Path, depth: int) -> Iterator[ImportItem]:
        """Yield the items in the given files and subfolders of a folder, each by itself."""
        if depth >= DEEPEST:
            self._problem(folder, "too-deep", f"more than {DEEPEST} folders in folders.", "Name the inner folder.")
            return
        for path in inside:
            yield from self._folder(path, depth + 1) if path.is_dir() else self._file(path, walked=True)

    def _listed(self, folder: Path) -> list[Path]:
        paths = list(islice(folder.iterdir(), MOST))
        return sorted(path for path in paths if not path.name.startswith((".", "__MACOSX")) and not path.is_symlink())

    def _file(self, path: Path, *, walked: bool = False) -> Iterator[ImportItem]:
        """Yield the items of a single file; unrecognised files found on a walk are ignored."""
        ending = path.suffix.lower()
        if ending in (".jsonl", ".ndjson"):
            yield from self._lines(path, walked=walked)
        elif ending == ".zip":
            yield from self._archive(path)
        elif ending == ".csv" and (known := self._tabled(path)):
            yield from (ImportItem("submission", path, suite) for suite in known)
        elif ending == ".json" and (suite := self._described([path])) is not None:
            yield ImportItem("submission", path, suite)
        elif not walked and self.suite is not None:
            yield ImportItem("submission", path, self.suite)

    def _tabled(self, path: Path) -> list[Suite]:
        """Return the suites whose submissions may be such a table."""
        start = _beginning(path)
        return [suite for suite in self.suites if (column := FORMATS[suite.submission].table_column) and column.encode() in start]

    def _lines(self, path: Path, *, walked: bool) -> Iterator[ImportItem]:
        for name in SOURCES:
            if SOURCES[name].is_part(path):
                self._problem(path, "nothing-found", f"{SOURCES[name].part}.", "Import the folder that holds them all.")
                return
        try:
            first = decode_strictly(_beginning(path).removeprefix(BOM).lstrip().splitlines()[0])  # some files begin with an empty line
        except (InvalidLineError, IndexError):
            first = {}
        suite = self._of_names([path.name])
        broken = not suite and not first and bool(path.stat().st_size)  # reported by a record reader, line by line
        readers = {name: known for name in SOURCES if (known := SOURCES[name].is_record)}
        if source := next((name for name, is_record in readers.items() if broken or is_record(first)), None):
            yield ImportItem(source, path)
        elif suite is not None or (self.suite is not None and not walked):
            yield ImportItem("submission", path, suite or self.suite)
        elif not walked:
            self._problem(path, "unknown-suite", "predictions of an unknown suite.", "Name the file after its task, or give --suite.")

    def _archive(self, path: Path) -> Iterator[ImportItem]:
        problems = Problems()
        try:
            with open_bundle(path, problems) as bundle:
                suite = self._of_names(entry.name for entry in bundle.entries)
        except GluepotError as error:
            self._problem(path, "broken-archive", str(error), "")
            return
        if suite is None and self.suite is None and not problems.count():
            self._problem(path, "unknown-suite", "no file in it is named after a task.", "Say with --suite which suite it answers.")
        elif suite or self.suite or problems.count():
            yield ImportItem("submission", path, suite or self.suite or self.suites[0])

    def _submitted(self, folder: Path, inside: list[Path]) -> Suite | None:
        """Return the suite whose tasks a folder's files and subfolders are named after."""
        names = []
        for path in inside:
            if (path / MANIFEST).is_file():  # a run of its own, whatever its name
                continue
            if path.is_dir() and (path.name.lower() in SPLITS or any(named_task(suite, path.name) for suite in self.suites)):
                names += [f"{path.name}/{one.name}" for one in self._listed(path) if one.suffix.lower() in (".jsonl", ".ndjson")]
            elif path.suffix.lower() in (".jsonl", ".ndjson"):
                names.append(path.name)
        return self._of_names(names) or self._described([p for p in inside if p.suffix == ".json" and p.stem == folder.resolve().name])

    def _of_names(self, names: Iterable[str]) -> Suite | None:
        """Return the suite whose tasks most of these files are named after."""
        votes: Counter[str] = Counter()
        for name in islice(names, 1000):
            if PurePosixPath(name).suffix.lower() not in (".jsonl", ".ndjson"):
                continue
            votes.update(suite.name for suite in self.suites if path_task(suite, name))
        return load_suite(votes.most_common(1)[0][0]) if votes else None

    def _described(self, paths: Iterable[Path]) -> Suite | None:
        """Return the suite for which a model description states scores."""
        for path in paths:
            entry = SubmissionFile(path.name, path.stat().st_size, lambda path=path: open_plain(path))  # type: ignore[misc]
            said = read_description(entry, Problems(), [])
            for suite in self.suites:
                if said and FORMATS[suite.submission].describes and any(named_task(suite, task) for task, _, _ in said.stated):
                    return suite
        return None

    def _problem(self, path: Path, code: str, message: str, hint: str) -> None:
        self.report.problems.append(Problem(code, message, displayed_path(path), hint=hint))


def _beginning(path: Path) -> bytes:
    try:
        with open_plain(path) as stream:
            return stream.read(FIRST_LINE)
    except OSError:
        return b""
