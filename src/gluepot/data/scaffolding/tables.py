"""Tables that people have: CSV with any separator, TSV, JSON, JSON Lines, Parquet, or a folder of these with a file a split."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

from gluepot.errors import GluepotError, WrongUse
from gluepot.plurals import pluralize

Row = dict[str, Any]
SEPARATORS = (",", ";", "\t", "|")
_SPLIT = re.compile(r"(?:^|[^a-z])(train|training|dev|development|valid|validation|val|test|eval)(?:[^a-z]|$)", re.IGNORECASE)
SPLITS = {"training": "train", "development": "dev", "valid": "dev", "validation": "dev", "val": "dev", "eval": "dev"}
"""What splits are called elsewhere, to what they are called here."""
COLUMNS = ("split", "set", "partition", "subset")
"""Columns that may name a row's split."""


@dataclass
class SourceTable:
    """Rows by split; all under "" where nothing says which split they belong to."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What was taken for what, in words."""

    @property
    def columns(self) -> list[str]:
        """All columns in the order in which they come."""
        return list(dict.fromkeys(name for rows in self.rows.values() for row in rows for name in row))

    def all_rows(self) -> list[Row]:
        return [row for rows in self.rows.values() for row in rows]


def read_table(paths: Sequence[Path]) -> SourceTable:
    """One table from a file, several files or a folder."""
    files = [file for path in paths for file in _files(path)]
    named = {file: split_in(file) for file in files} if len(files) > 1 or paths[0].is_dir() else {}
    if named and len(set(named.values())) < len(files):
        _refuse_unclear(files, named)
    table = SourceTable()
    for file in files:
        rows, note = _read(file)
        table.notes.append(f"{file.name}: {pluralize(len(rows), 'row')}, {note}")
        table.rows.setdefault(named.get(file) or "", []).extend(rows)
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
    """The split that a file's name tells, else the one of its folder."""
    for name in (file.stem, file.parent.name):
        if found := _SPLIT.search(name):
            return SPLITS.get(found[1].lower(), found[1].lower())
    return ""


def _by_column(table: SourceTable) -> SourceTable:
    """The rows by the split that a column names, if there is such a column."""
    rows = table.all_rows()
    for name in table.columns:
        values = [str(row.get(name, "")).strip().lower() for row in rows]
        if name.strip().lower() in COLUMNS and all(_SPLIT.fullmatch(value) for value in values):
            split: dict[str, list[Row]] = {}
            for row, value in zip(rows, values, strict=True):
                split.setdefault(SPLITS.get(value, value), []).append({key: cell for key, cell in row.items() if key != name})
            return SourceTable(split, [*table.notes, f"the column {name} names the splits"])
    return table


def _read(path: Path) -> tuple[list[Row], str]:
    """All rows of a file, and what it was taken for."""
    rows, note = READERS[path.suffix.lower()](path)
    wrong = next((number for number, row in enumerate(rows, start=1) if not isinstance(row, dict)), None)
    if wrong is not None:
        raise GluepotError(f"{path}: record {wrong} is no object with named fields.")
    return rows, note


def _text(path: Path) -> str:
    data = path.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        remedy = "`iconv -f WINDOWS-1252 -t UTF-8` converts what old spreadsheets write."
        raise GluepotError(f"{path}:{line}: not UTF-8 (byte {error.start}). {remedy}") from error


def _delimited(path: Path) -> tuple[list[Row], str]:
    text = _text(path)
    told = re.match(r"sep=(.)\r?\n", text)
    separator = told[1] if told else "\t" if path.suffix.lower() == ".tsv" else _separator(text)
    lines = csv.reader(StringIO(text[told.end() if told else 0 :], newline=""), delimiter=separator)
    header = [name.strip() for name in next(lines, [])]
    _check_header(path, header, separator)
    rows = []
    for cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            given = f"{pluralize(len(cells), 'cell')} where the header has {len(header)}"
            raise GluepotError(f"{path}:{lines.line_num}: {given}. A separator within a text is put in quotation marks.")
        rows.append(dict(zip(header, cells, strict=True)))
    return rows, f"separated by {'tabs' if separator == chr(9) else repr(separator)}"


def _check_header(path: Path, header: list[str], separator: str) -> None:
    if len(header) < 2:
        raise GluepotError(f"{path}:1: one column only. The first line names the columns, separated by one of , ; | or tabs.")
    for name in header:
        if not name or header.count(name) > 1:
            raise GluepotError(f"{path}:1: {'a column without a name' if not name else f'two columns are called {name!r}'}.")


def _separator(text: str) -> str:
    """The separator that gives all of the first lines the same number of cells, the most of them."""

    def cells(separator: str) -> tuple[bool, int]:
        counts = [len(row) for row in islice(csv.reader(StringIO(text, newline=""), delimiter=separator), 50) if row]
        return len(set(counts)) == 1 and counts[0] > 1, counts[0] if counts else 0

    return max(SEPARATORS, key=cells)


def _json_lines(path: Path) -> tuple[list[Row], str]:
    rows = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise GluepotError(f"{path}:{number}: not JSON: {error}.") from error
    return rows, "JSON Lines"


def _json(path: Path) -> tuple[list[Row], str]:
    try:
        document = json.loads(_text(path))
    except ValueError as error:
        raise GluepotError(f"{path}: not JSON: {error}.") from error
    lists = [document] if isinstance(document, list) else [value for value in document.values() if isinstance(value, list)]
    if len(lists) != 1:
        raise GluepotError(f"{path}: one list of records is expected.")
    return lists[0], "JSON"


def _parquet(path: Path) -> tuple[list[Row], str]:
    from gluepot.data.readers import read_parquet

    rows = list(read_parquet([path], ""))
    names = _class_names(path)
    for row in rows:
        for column, labels in names.items():
            if isinstance(row.get(column), int) and 0 <= row[column] < len(labels):
                row[column] = labels[row[column]]
            elif isinstance(row.get(column), list):
                row[column] = [labels[number] for number in row[column]]
    return rows, "Parquet"


def _class_names(path: Path) -> dict[str, list[str]]:
    """The names behind the numbers of a column of classes, as the `datasets` library keeps them in the file."""
    from pyarrow.parquet import read_schema

    about = (read_schema(path).metadata or {}).get(b"huggingface")
    features = json.loads(about).get("info", {}).get("features", {}) if about else {}
    found = {}
    for column, feature in features.items():
        inner = feature.get("feature", feature) if isinstance(feature, dict) else {}
        if isinstance(inner, dict) and inner.get("_type") == "ClassLabel":
            found[column] = inner["names"]
    return found


READERS: dict[str, Callable[[Path], tuple[list[Row], str]]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".jsonl": _json_lines,
    ".json": _json,
    ".parquet": _parquet,
}
