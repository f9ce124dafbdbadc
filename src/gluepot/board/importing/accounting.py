"""Outcome of every file below the paths of an import: imported, already there, refused with its first problem, or not recognised."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from gluepot.board.importing.drafts import FileAccount, ImportedEntry
from gluepot.people.formats import ours
from gluepot.records import Problem
from gluepot.submissions.opening.entries import displayed, displayed_path

IMPORTED, THERE, REFUSED, UNKNOWN = "imported", "already there", "refused", "not recognised"
MOST = 100_000
"""Maximum number of files accounted for per path."""
VOTES = "These may be votes of people: `gluepot human SUITE/TASK FILE` reads them."
LINK, NO_FILE = "a link, which is not followed.", "not an ordinary file."
READ = (".json", ".jsonl", ".ndjson")
"""Suffixes of the files read from runs, timings and measurements; other files in their folders are the user's own."""
OWN = ("manifest.json", "scores.json", "times.json", ours.NAME, "log.txt")
"""Files of a run outside its subfolders."""
FOLDERS = ("predictions", "trials", "training")


class ImportOutcome(Struct, frozen=True):
    """Outcome of importing one detected item."""

    kind: str
    path: Path
    lines: list[ImportedEntry]
    problems: list[Problem]

    def holds(self, file: Path) -> bool:
        """Return whether a file is this item or a part of it that is read."""
        if file == self.path:
            return True
        if self.path not in file.parents:
            return False
        inner = file.relative_to(self.path)
        if self.kind == "run":
            return file.suffix in READ and inner.parts[0] in FOLDERS if len(inner.parts) > 1 else file.name in OWN
        return self.kind == "submission" or file.suffix in READ

    def states(self) -> set[str]:
        """Return the states of its entries; where several systems are read together, those of its own entries."""
        return {line.state for line in self.lines if line.source in self.path.parts} or {line.state for line in self.lines}

    def nearest(self) -> list[Problem]:
        """Return its problems; where several items are read together, its own first."""
        places = tuple(displayed_path(place) for place in (self.path, self.path.resolve()))
        return sorted(self.problems, key=lambda problem: not (problem.file or "").startswith(places))


SkippedFiles = Mapping[Path, str]
"""Files skipped by readers, with the reason; an empty reason marks a file that the reader does not recognise."""


def account_for_files(
    paths: Iterable[Path], outcomes: Sequence[ImportOutcome], problems: Sequence[Problem], skipped: SkippedFiles | None = None
) -> list[FileAccount]:
    """Return the outcome of every file once; a file that belongs to several items is imported if one of them is."""
    files = dict.fromkeys(file for path in paths for file in islice(_files(path), MOST))
    told = {id(problem) for one in outcomes for problem in one.problems}
    loose = [problem for problem in problems if id(problem) not in told]
    return [_account(file, outcomes, loose, skipped or {}) for file in files]


def _files(path: Path) -> Iterator[Path]:
    """Yield everything below a path that is not a folder; links to folders are yielded, because they are not followed."""
    if not path.is_dir():
        yield from [path] if os.path.lexists(path) else []
        return
    for place, folders, files in os.walk(path):
        folders.sort()
        links = [name for name in folders if Path(place, name).is_symlink()]
        yield from (Path(place, name) for name in sorted([*files, *links]))


def _account(file: Path, outcomes: Sequence[ImportOutcome], problems: Sequence[Problem], skipped: SkippedFiles) -> FileAccount:
    shown, left = displayed_path(file), next((skipped[one] for one in (file, *file.parents) if one in skipped), None)
    mine = [one for one in outcomes if one.holds(file)]
    own = [problem for one in mine for problem in one.problems if _is_about(problem, file, one)]
    own += [] if own or mine else [problem for problem in problems if _covers(problem, file)]
    states = {state for one in mine for state in one.states()}
    whole = any(file == one.path for one in mine)
    first = next(iter([*own, *(problem for one in mine if not states for problem in one.nearest())]), None)
    if first is not None and not (whole and states):
        return FileAccount(shown, REFUSED, first.message, first.hint or "")
    if left:
        return FileAccount(shown, REFUSED, left)
    if states and left is None:
        state, part = IMPORTED if IMPORTED in states else THERE, next((one.problems for one in mine if whole and one.problems), [])
        return FileAccount(shown, state, *((part[0].message, part[0].hint or "") if part else ()))
    if mine and left is None:
        return FileAccount(shown, REFUSED, "nothing in it could be scored.")
    return FileAccount(shown, UNKNOWN, _strange(file), VOTES if _may_be_votes(file) else "")


def _covers(problem: Problem, file: Path) -> bool:
    """Return whether a problem without an item names this file or a folder that was not searched."""
    if problem.file == displayed_path(file):
        return True
    return problem.code != "nothing-found" and problem.file in {displayed_path(folder) for folder in file.parents}


def _strange(file: Path) -> str:
    """Return why a file that is not an ordinary one is not read; empty for ordinary files."""
    return LINK if file.is_symlink() else "" if file.is_file() else NO_FILE


def _is_about(problem: Problem, file: Path, thing: ImportOutcome) -> bool:
    """Return whether an item's problem names this file, by absolute or relative path, or the item where several are read together."""
    if not problem.file:
        return False
    named = str(problem.file)
    if named in {displayed_path(place) for place in (file, file.resolve())}:
        return True
    if file == thing.path:
        return named.startswith(f"{displayed(file.name)}/")
    inner, name = file.relative_to(thing.path), thing.path.resolve().name
    ways = {f"{name}/{inner.as_posix()}", f"{name}/{'/'.join(inner.parts[1:])}"}
    folders = {displayed_path(place) for one in (thing.path, thing.path.resolve()) for place in (one, one.parent)}
    return named in {displayed_path(way) for way in ways} or (
        thing.kind not in ("run", "submission") and problem.code != "odd-timing" and named in folders
    )


def _may_be_votes(file: Path) -> bool:
    """Return whether the head of a file looks like gluepot votes or the export of a crowdsourcing platform."""
    if file.suffix.lower() not in (".tsv", ".csv", *READ) or not file.is_file() or file.is_symlink():
        return False
    try:
        with file.open("rb") as stream:
            head = stream.read(2000).lower()
    except OSError:
        return False
    return any(word in head for word in (b"output:", b"assignment", b"worker", b"annotator", b'"rater"'))
