"""One file of a table: its rows, their lines, and all of its faults."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

from gluepot.plurals import pluralize

Row = dict[str, Any]
SEPARATORS = (",", ";", "\t", "|")


@dataclass
class FileRows:
    """Rows read from a file, and its faults."""

    path: Path
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """Line where each row begins; its number in formats without lines."""
    note: str = ""
    """Description of the detected format."""
    faults: list[tuple[int | None, str]] = field(default_factory=list)

    def add(self, line: int, row: Any) -> None:
        """Add a row, or a fault if it is not an object with named fields."""
        if isinstance(row, dict):
            self.rows.append(row)
            self.lines.append(line)
        else:
            self.faults.append((line, "no object with named fields."))

    def fault_lines(self) -> list[str]:
        """Return the faults as messages, each with its location."""
        return [f"{self.path}:{line}: {told}" if line else f"{self.path}: {told}" for line, told in self.faults]


def read_file(path: Path) -> FileRows:
    """Read all rows and all faults of a file, by its suffix."""
    found = FileRows(path)
    READERS[path.suffix.lower()](found)
    return found


def _text(found: FileRows) -> str:
    data = found.path.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        remedy = "`iconv -f WINDOWS-1252 -t UTF-8` converts what old spreadsheets write."
        found.faults.append((line, f"not UTF-8 (byte {error.start}). {remedy}"))
        return ""


def _delimited(found: FileRows) -> None:
    text = _text(found)
    told = re.match(r"sep=(.)\r?\n", text)
    separator = told[1] if told else "\t" if found.path.suffix.lower() == ".tsv" else _separator(text)
    found.note = f"separated by {'tabs' if separator == chr(9) else repr(separator)}"
    if text:
        before = 1 if told else 0
        lines = csv.reader(StringIO(text[told.end() if told else 0 :], newline=""), delimiter=separator)
        try:
            _add_cells(found, lines, before)
        except csv.Error as error:
            remedy = "A quotation mark that opens a cell closes it, too."
            found.faults.append((before + lines.line_num, f"cannot be read on from here: {error}. {remedy}"))


def _add_cells(found: FileRows, lines: Any, before: int) -> None:
    """Add the rows below the header; `before` is the number of lines above it."""
    header = [name.strip() for name in next(lines, [])]
    if faults := _header_faults(header):
        found.faults += [(before + 1, fault) for fault in faults]
        return
    start = before + lines.line_num + 1
    for cells in lines:
        if len(cells) == len(header) and any(cell.strip() for cell in cells):
            found.add(start, dict(zip(header, cells, strict=True)))
        elif any(cell.strip() for cell in cells):
            end = before + lines.line_num
            where = f" down to line {end}" if end > start else ""
            given = f"{pluralize(len(cells), 'cell')}{where} where the header has {len(header)}"
            found.faults.append((start, f"{given}. A separator within a text is put in quotation marks."))
        start = before + lines.line_num + 1


def _header_faults(header: list[str]) -> list[str]:
    if len(header) < 2:
        return ["one column only. The first line names the columns, separated by one of , ; | or tabs."]
    unnamed = ["a column without a name."] if "" in header else []
    return unnamed + [f"two columns are called {name!r}." for name in dict.fromkeys(header) if name and header.count(name) > 1]


def _separator(text: str) -> str:
    """Return the separator that gives all of the first lines the same number of cells, preferring more cells."""

    def cells(separator: str) -> tuple[bool, int]:
        try:
            counts = [len(row) for row in islice(csv.reader(StringIO(text, newline=""), delimiter=separator), 50) if row]
        except csv.Error:
            return False, 0
        return len(set(counts)) == 1 and counts[0] > 1, counts[0] if counts else 0

    return max(SEPARATORS, key=cells)


def _json_lines(found: FileRows) -> None:
    found.note = "JSON Lines"
    for number, line in enumerate(_text(found).split("\n"), start=1):
        if line.strip():
            try:
                found.add(number, json.loads(line))
            except ValueError as error:
                found.faults.append((number, _not_json(error)))


def _not_json(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} (column {error.colno})."
    return f"not JSON: {error}."


def _json(found: FileRows) -> None:
    found.note = "JSON"
    text = _text(found)
    try:
        document = json.loads(text) if text or not found.faults else []
    except ValueError as error:
        found.faults.append((getattr(error, "lineno", None), _not_json(error)))
        return
    inner = document.values() if isinstance(document, dict) else []
    lists = [document] if isinstance(document, list) else [value for value in inner if isinstance(value, list)]
    if len(lists) != 1:
        found.faults.append((None, "one list of records is expected."))
        return
    for number, row in enumerate(lists[0], start=1):
        if isinstance(row, dict):
            found.add(number, row)
        else:
            found.faults.append((None, f"record {number} is not an object with named fields."))


def _parquet(found: FileRows) -> None:
    from gluepot.data.readers import read_parquet

    found.note = "Parquet"
    names = _class_names(found.path)
    for number, row in enumerate(read_parquet([found.path], ""), start=1):
        for column, labels in names.items():
            if isinstance(row.get(column), int) and 0 <= row[column] < len(labels):
                row[column] = labels[row[column]]
            elif isinstance(row.get(column), list):
                row[column] = [labels[number] for number in row[column]]
        found.add(number, row)


def _class_names(path: Path) -> dict[str, list[str]]:
    """Return the class names of integer label columns, from the metadata that the `datasets` library writes."""
    from pyarrow.parquet import read_schema

    about = (read_schema(path).metadata or {}).get(b"huggingface")
    features = json.loads(about).get("info", {}).get("features", {}) if about else {}
    found = {}
    for column, feature in features.items():
        inner = feature.get("feature", feature) if isinstance(feature, dict) else {}
        if isinstance(inner, dict) and inner.get("_type") == "ClassLabel":
            found[column] = inner["names"]
    return found


READERS: dict[str, Callable[[FileRows], None]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".jsonl": _json_lines,
    ".json": _json,
    ".parquet": _parquet,
}
