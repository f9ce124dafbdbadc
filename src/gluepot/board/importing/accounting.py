"""What became of every file below the paths of an import: imported, already there, refused with its first problem, or not recognised."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from gluepot.board.importing.drafts import FileAccount, ImportedEntry
from gluepot.records import Problem
from gluepot.submissions.opening.entries import displayed

IMPORTED, THERE, REFUSED, UNKNOWN = "imported", "already there", "refused", "not recognised"
MOST = 100_000
"""Files that are accounted for."""
VOTES = "These may be votes of people: `gluepot human SUITE/TASK FILE` reads them."


class ImportOutcome(Struct, frozen=True):
    """One thing that was found, and what its import left behind."""

    path: Path
    lines: list[ImportedEntry]
    problems: list[Problem]


def account(paths: Iterable[Path], outcomes: Sequence[ImportOutcome], problems: Sequence[Problem]) -> list[FileAccount]:
    """Every file, once; a file that several things hold is imported if one of them is."""
    return [_account(file, outcomes, problems) for file in dict.fromkeys(file for path in paths for file in _files(path))]


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from islice(sorted(one for one in path.rglob("*") if one.is_file() and not one.is_symlink()), MOST)
    elif path.is_file():
        yield path


def _account(file: Path, outcomes: Sequence[ImportOutcome], problems: Sequence[Problem]) -> FileAccount:
    shown = displayed(str(file))
    mine = [one for one in outcomes if file == one.path or one.path in file.parents]
    own = [problem for one in mine for problem in one.problems if _is_about(problem, file)] or [p for p in problems if _is_about(p, file)]
    states = {line.state for one in mine for line in one.lines}
    whole = [problem for one in mine for problem in one.problems]
    if own or (mine and not states):
        first = next(iter([*own, *whole]), None)
        return FileAccount(
            shown, REFUSED, first.message if first else "nothing in it could be scored.", (first.hint or "") if first else ""
        )
    if states:
        return FileAccount(shown, IMPORTED if IMPORTED in states else THERE)
    return FileAccount(shown, UNKNOWN, hint=VOTES if _may_be_votes(file) else "")


def _is_about(problem: Problem, file: Path) -> bool:
    """Whether a problem names this file, by its whole path or by its end below a submission."""
    if not problem.file:
        return False
    named, shown = str(problem.file), displayed(str(file))
    return named == shown or shown.endswith(f"/{named}")


def _may_be_votes(file: Path) -> bool:
    """Whether the head of a table looks like the export of a crowd platform."""
    if file.suffix.lower() not in (".tsv", ".csv"):
        return False
    try:
        with file.open("rb") as stream:
            head = stream.read(2000).lower()
    except OSError:
        return False
    return any(word in head for word in (b"output:", b"assignment", b"worker", b"annotator"))
