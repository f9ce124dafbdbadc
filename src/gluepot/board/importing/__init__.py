"""Brings results onto the board: runs, submissions, record files, timings, printed tables."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic

from gluepot.board.importing.drafts import Draft, Line, Report
from gluepot.board.importing.predictions import Bench
from gluepot.board.importing.printed import published_drafts
from gluepot.board.importing.storing import store
from gluepot.board.importing.submitted import submission_draft
from gluepot.runs.reproduction import submissions_below
from gluepot.tasks.declarations import load_suite

__all__ = ["Line", "Report", "import_paths", "import_published"]

Tell = Callable[[Line], None]


def import_published(tell: Tell = lambda line: None) -> Report:
    """All printed results of all suites."""
    report = Report()
    _store_all(published_drafts(), report, tell)
    return report


def import_paths(paths: Sequence[Path], suite: str | None = None, tell: Tell = lambda line: None) -> Report:
    """Whatever lies at these places."""
    report, bench = Report(), Bench()
    for path in paths:
        for place in submissions_below(path):
            started = monotonic()
            draft = submission_draft(load_suite(suite or path.name), place, bench, report)
            if draft is not None:
                line = store(draft, started)
                report.lines.append(line)
                tell(line)
    return report


def _store_all(drafts: Iterator[Draft], report: Report, tell: Tell) -> None:
    started = monotonic()
    for draft in drafts:
        line = store(draft, started)
        report.lines.append(line)
        tell(line)
        started = monotonic()
