"""Files of rows: CSV with any delimiter, JSON, JSON Lines, and archives of these."""

import csv
import io
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import msgspec

from gluepot.errors import GluepotError, WrongUse
from gluepot.plurals import pluralize

Record = dict[str, Any]
LARGEST = 1 << 30
"""Maximum uncompressed size of an archive member in bytes."""
_DELIMITERS = "\t;,|"


@dataclass
class Rows:
    """Rows of one file."""

    name: str
    records: list[Record] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    archived: bool = False
    """Whether the file comes from an archive: tools that export archives write one file per rater."""

    def has(self, *names: str) -> bool:
        return set(names) <= set(self.columns)


def read_rows(path: Path) -> Iterator[Rows]:
    """Yield the rows of a file, or of each file in a zip archive."""
    if not path.is_file():
        raise WrongUse(f"{path}: there is no such file.")
    data = path.read_bytes()
    if data[:4] == b"PK\x03\x04":
        yield from _archived(path, data)
    else:
        yield parse_rows(path.name, data)


def _archived(path: Path, data: bytes) -> Iterator[Rows]:
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                name = member.filename
                if (
                    member.is_dir()
                    or Path(name).name.startswith((".", "_"))
                    or Path(name).suffix not in (".jsonl", ".json", ".csv", ".tsv")
                ):
                    continue
                if member.file_size > LARGEST:
                    raise GluepotError(f"{path}: {name} unpacks to {pluralize(member.file_size, 'byte')}, which no file of votes has.")
                rows = parse_rows(name, archive.read(member))
                rows.archived = True
                yield rows
    except (BadZipFile, RuntimeError, zlib.error, EOFError) as error:  # RuntimeError: encrypted, or an unsupported compression method
        raise GluepotError(f"{path}: the archive is broken, or cannot be unpacked: {error}.") from error


def parse_rows(name: str, data: bytes) -> Rows:
    """Parse the bytes of a file; the format is detected from the first character."""
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise GluepotError(f"{name}: byte {error.start + 1:,} is not UTF-8. Save the file as UTF-8.") from error
    head = text.lstrip()[:1]
    records = _json(name, text) if head in ("[", "{") else _table(text)
    columns = list(dict.fromkeys(key for record in records[:1000] for key in record))
    return Rows(name, records, columns)


def _json(name: str, text: str) -> list[Record]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        found = [_line(name, number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    except RecursionError as error:
        raise GluepotError(f"{name}: brackets are nested too deeply.") from error
    records = [found] if isinstance(found, dict) else found
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise GluepotError(f"{name}: rows are wanted: one JSON object a line, or an array of objects.")
    return records


def _line(name: str, number: int, line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise GluepotError(f"{name}:{number}: not JSON: {error}.") from error
    except RecursionError as error:
        raise GluepotError(f"{name}:{number}: brackets are nested too deeply.") from error


def _table(text: str) -> list[Record]:
    """Parse CSV, quoted line breaks included; the delimiter is the one that gives the header most columns."""
    limit = csv.field_size_limit(sys.maxsize)  # applies to the whole process
    try:
        return _rows_of(text)
    finally:
        csv.field_size_limit(limit)


def _rows_of(text: str) -> list[Record]:
    first = next(iter(text.splitlines()), "")
    delimiter = max(_DELIMITERS, key=lambda mark: len(next(csv.reader([first], delimiter=mark), [])))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [name.strip() for name in next(rows, [])]
    return [dict(zip(header, row, strict=False)) for row in rows if any(cell.strip() for cell in row)]
