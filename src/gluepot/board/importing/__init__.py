"""Import of results onto the board: runs, submissions, output of other harnesses and published tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError

from gluepot.board.importing.accounting import ImportOutcome, account_for_files
from gluepot.board.importing.detection import Finder, ImportItem
from gluepot.board.importing.drafts import Change, Draft, ImportedEntry, ImportReport
from gluepot.board.importing.predictions import ImportContext
from gluepot.board.importing.sources import SOURCES, ResultSource
from gluepot.board.importing.sources.measurements import measurement_drafts, measurement_folders
from gluepot.board.importing.sources.reported import published_drafts
from gluepot.board.importing.sources.runs import run_draft
from gluepot.board.importing.sources.submissions import submission_draft
from gluepot.board.importing.storage.entries import OverwriteError, store
from gluepot.board.importing.systems.joining import AmbiguousNameError, RefusedEntry
from gluepot.board.importing.systems.owners import current_owner
from gluepot.errors import GluepotError
from gluepot.records import Problem
from gluepot.submissions.opening.entries import displayed, displayed_path
from gluepot.submissions.opening.zips import explain

__all__ = ["Change", "ImportReport", "ImportedEntry", "import_paths", "import_published"]

Tell = Callable[[ImportedEntry], None]
SOURCES.add("measurements", ResultSource("measurements of ours", measurement_drafts, folders=measurement_folders))


def import_paths(
    paths: Sequence[Path],
    suite: str | None = None,
    tell: Tell = lambda line: None,
    *,
    name: str | None = None,
    replace: bool = False,
    owner: str | None = None,
) -> ImportReport:
    """Import everything found at the paths; a problem with one item does not prevent the import of others.

    `name` names the system, if there is only one; `replace` allows changes to numbers that the board shows; `owner` is the owner
    of the imported systems, by default the user of this process.
    """
    report, bench = ImportReport(), ImportContext(name=name, owner=owner or current_owner())
    finder = Finder(suite, report)
    found = {path: list(finder.look(path)) for path in dict.fromkeys(paths)}
    if name is not None:
        _check_single([one for several in found.values() for one in several])
    outcomes: list[ImportOutcome] = []
    for path, several in found.items():
        for one in several:
            if not one.together:
                with _watched(one.kind, [one.path], report, outcomes):
                    _store_all(lambda one=one: _drafts(one, bench, report), one.path, report, tell, replace)  # type: ignore[misc]
        for kind in dict.fromkeys(one.kind for one in several if one.together):
            places = [one.path for one in several if one.kind == kind]
            with _watched(kind, places, report, outcomes):
                _store_all(lambda kind=kind, places=places: SOURCES[kind].drafts(places, bench, report), path, report, tell, replace)  # type: ignore[misc]
    report.files = account_for_files(found, outcomes, report.problems, bench.skipped)
    return report


@contextmanager
def _watched(kind: str, paths: Sequence[Path], report: ImportReport, outcomes: list[ImportOutcome]) -> Iterator[None]:
    """Record what the import of these paths adds to the report."""
    lines, problems = len(report.lines), len(report.problems)
    yield
    outcomes += [ImportOutcome(kind, path, report.lines[lines:], report.problems[problems:]) for path in paths]


def import_published(tell: Tell = lambda line: None, *, replace: bool = False, owner: str | None = None) -> ImportReport:
    """Import all published results of all suites."""
    report = ImportReport()
    _store_all(lambda: published_drafts(owner or current_owner()), Path("published"), report, tell, replace)
    return report


def _check_single(found: Sequence[ImportItem]) -> None:
    things = {one.path.resolve().parent if one.together else one.path for one in found}
    if len(things) > 1:
        raise AmbiguousNameError(
            f"--name names one system, and {len(things):,} things were found: {', '.join(sorted(map(str, things))[:5])}."
        )


def _drafts(found: ImportItem, bench: ImportContext, report: ImportReport) -> Iterator[Draft]:
    if found.kind in SOURCES:
        yield from SOURCES[found.kind].drafts([found.path], bench, report)
        return
    draft = run_draft(found.path, bench, report) if found.kind == "run" else None
    if found.kind == "submission" and found.suite is not None:
        draft = submission_draft(found.suite, found.path, bench, report)
    if draft is not None:
        yield draft


def _store_all(drafts: Callable[[], Iterable[Draft]], path: Path, report: ImportReport, tell: Tell, replace: bool) -> None:
    """Store the drafts one by one; those that cannot be read or stored are reported as problems."""
    started = monotonic()
    for draft in _read(drafts, path, report):
        line = _store(draft, started, path, report, replace)
        if line is not None:
            report.lines.append(line)
            tell(line)
        started = monotonic()


def _read(drafts: Callable[[], Iterable[Draft]], path: Path, report: ImportReport) -> Iterator[Draft]:
    """Yield the drafts that can be read and report errors as problems; database errors propagate, as the files do not cause them.

    Any other exception is caught: files are untrusted, and one that breaks its reader must not stop the import of others.
    """
    try:
        waiting = iter(drafts())
        while (draft := next(waiting, None)) is not None:
            yield draft
    except (AmbiguousNameError, DatabaseError, InterfaceError):
        raise
    except (GluepotError, OSError) as error:
        report.problems.append(Problem("unreadable", str(error), displayed_path(path)))
    except Exception as error:
        message = f"it cannot be read ({type(error).__name__}: {explain(error)})."
        report.problems.append(Problem("unreadable", message, displayed_path(path), hint="Please report this, with the file."))


def _store(draft: Draft, started: float, path: Path, report: ImportReport, replace: bool) -> ImportedEntry | None:
    place = displayed_path(draft.place or path)
    try:
        line, changes = store(draft, started, place, replace=replace)
    except RefusedEntry as refused:
        report.problems.append(Problem(refused.code, displayed(refused.message), place, hint=displayed(refused.hint)))
        report.changes += refused.changes if isinstance(refused, OverwriteError) else []
        return None
    except (DataError, IntegrityError) as error:
        message = f"{draft.system.name}: the database refuses it: {str(error).splitlines()[0]}."
        report.problems.append(Problem("unreadable", displayed(message), place))
        return None
    report.changes += changes
    return line
