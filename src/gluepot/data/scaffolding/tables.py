"""Tables in common formats: CSV with any separator, TSV, JSON, JSON Lines, Parquet, or a folder of these with one file per split."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gluepot.data.scaffolding.table_files import READERS, FileRows, Row, read_file
from gluepot.errors import GluepotError, WrongUse
from gluepot.plurals import pluralize

MOST = 20
"""Number of a file's faults that are listed; the others are counted."""
_SPLIT = re.compile(r"(?:^|[^a-z])(train|training|dev|development|valid|validation|val|test|eval)(?:[^a-z]|$)", re.IGNORECASE)
SPLITS = {"training": "train", "development": "dev", "valid": "dev", "validation": "dev", "val": "dev", "eval": "dev"}
"""Split names in use elsewhere, mapped to ours."""
COLUMNS = ("split", "set", "partition", "subset")
"""Columns that may name a row's split."""


class TableFaults(GluepotError):
    """All faults of a file."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        more = [f"… and {len(lines) - MOST:,} more"] if len(lines) > MOST else []
        super().__init__(lines[0] if len(lines) == 1 else "\n  ".join([f"{pluralize(len(lines), 'fault')}:", *lines[:MOST], *more]))


@dataclass
class SourceTable:
    """Rows by split; all under "" if their split is unknown."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    places: dict[str, list[str]] = field(default_factory=dict)
    """Location of each row: the file's name and the line."""
    notes: list[str] = field(default_factory=list)
    """Descriptions of how files and columns were interpreted."""

    @property
    def columns(self) -> list[str]:
        """All columns in order of occurrence."""
        return list(dict.fromkeys(name for rows in self.rows.values() for row in rows for name in row))

    def all_rows(self) -> list[Row]:
        return [row for rows in self.rows.values() for row in rows]


def read_table(paths: Sequence[Path]) -> SourceTable:
    """Read one table from a file, several files or a folder."""
    files = [file for path in paths for file in _files(path)]
    named = {file: split_in(file) for file in files} if len(files) > 1 or paths[0].is_dir() else {}
    if named and len(set(named.values())) < len(files):
        _refuse_unclear(files, named)
    table = SourceTable()
    for file in files:
        found = _faultless(read_file(file))
        table.notes.append(f"{file.name}: {pluralize(len(found.rows), 'row')}, {found.note}")
        table.rows.setdefault(named.get(file) or "", []).extend(found.rows)
        table.places.setdefault(named.get(file) or "", []).extend(f"{file.name}:{line}" for line in found.lines)
    if not any(table.rows.values()):
        raise WrongUse(f"{', '.join(map(str, paths))}: there are no rows.")
    return table if named else _by_column(table)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.suffix.lower() in READERS and not file.name.startswith((".", "croissant")))
        if not found:
            raise WrongUse(f"{path}: there is no {', '.join(READERS)} file in it.")
        yield from found
    elif path.suffix.lower() not in READERS:
        raise WrongUse(f"{path}: cannot read {path.suffix or 'a file without an ending'}; known: {', '.join(READERS)}.")
    elif not path.is_file():
        raise WrongUse(f"{path}: there is no such file.")
    else:
        yield path


def _refuse_unclear(files: Sequence[Path], named: dict[Path, str]) -> None:
    unnamed = [file for file in files if not named[file]]
    if unnamed:
        raise WrongUse(f"{unnamed[0]}: its name tells no split. Each of several files has train, dev or test in its name.")
    folders = {file.parent for file in files}
    if len(folders) > 1:
        raise WrongUse(f"several tables: {', '.join(sorted(map(str, folders)))}. Name the folder of one.")


def split_in(file: Path) -> str:
    """Return the split in a file's name, else in its folder's name."""
    for name in (file.stem, file.parent.name):
        if found := _SPLIT.search(name):
            return SPLITS.get(found[1].lower(), found[1].lower())
    return ""


def _by_column(table: SourceTable) -> SourceTable:
    """Group the rows by the split that a column names, if there is such a column."""
    rows, places = table.all_rows(), [place for places in table.places.values() for place in places]
    for name in table.columns:
        values = [str(row.get(name, "")).strip().lower() for row in rows]
        if name.strip().lower() in COLUMNS and all(_SPLIT.fullmatch(value) for value in values):
            found = SourceTable(notes=[*table.notes, f"the column {name} names the splits"])
            for row, value, place in zip(rows, values, places, strict=True):
                split = SPLITS.get(value, value)
                found.rows.setdefault(split, []).append({key: cell for key, cell in row.items() if key != name})
                found.places.setdefault(split, []).append(place)
            return found
    return table


def _faultless(found: FileRows) -> FileRows:
    """Return a file's rows; raise TableFaults if it has faults."""
    if found.faults:
        raise TableFaults(found.fault_lines())
    return found
