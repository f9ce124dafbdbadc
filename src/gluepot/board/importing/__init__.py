"""Brings results onto the board: runs, submissions, record files, timings, printed tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import monotonic

from django.db import DataError, IntegrityError

from gluepot.board.importing.drafts import Draft, Line, Report
from gluepot.board.importing.finding import Finder, Found
from gluepot.board.importing.predictions import Bench
from gluepot.board.importing.printed import published_drafts
from gluepot.board.importing.ran import run_draft
from gluepot.board.importing.recorded import RecordFile
from gluepot.board.importing.storing import store
from gluepot.board.importing.submitted import submission_draft
from gluepot.board.importing.timed import timing_drafts
from gluepot.data.submissions.entries import displayed
from gluepot.errors import GluepotError
from gluepot.records import Problem

__all__ = ["Line", "Report", "import_paths", "import_published"]

Tell = Callable[[Line], None]


def import_paths(paths: Sequence[Path], suite: str | None = None, tell: Tell = lambda line: None) -> Report:
    """Whatever lies at these places; what is wrong with one thing keeps no other from being imported."""
    report, bench = Report(), Bench()
    finder = Finder(suite, report)
    for path in paths:
        found = list(finder.look(path))
        timings = [one.path for one in found if one.kind == "timings"]
        for one in found:
            if one.kind != "timings":
                _store_all(lambda one=one: _drafts(one, bench, report), one.path, report, tell)  # type: ignore[misc]
        _store_all(lambda timings=timings: timing_drafts(timings, report), path, report, tell)  # type: ignore[misc]
    return report


def import_published(tell: Tell = lambda line: None) -> Report:
    """All printed results of all suites."""
    report = Report()
    _store_all(published_drafts, Path("published"), report, tell)
    return report


def _drafts(found: Found, bench: Bench, report: Report) -> Iterator[Draft]:
    if found.kind == "records":
        yield from RecordFile(found.path, report).drafts()
        return
    draft = run_draft(found.path, bench, report) if found.kind == "run" else None
    if found.kind == "submission" and found.suite is not None:
        draft = submission_draft(found.suite, found.path, bench, report)
    if draft is not None:
        yield draft


def _store_all(drafts: Callable[[], Iterable[Draft]], path: Path, report: Report, tell: Tell) -> None:
    """Store one draft after the other; what cannot be read, or not be stored, is a problem like others."""
    started = monotonic()
    try:
        for draft in drafts():
            try:
                line = store(draft, started)
            except (DataError, IntegrityError) as error:
                message = f"{draft.system.name}: the database refuses it: {str(error).splitlines()[0]}."
                report.problems.append(Problem("unreadable", displayed(message), displayed(str(path))))
                continue
            report.lines.append(line)
            tell(line)
            started = monotonic()
    except (GluepotError, OSError) as error:
        report.problems.append(Problem("unreadable", str(error), displayed(str(path))))
