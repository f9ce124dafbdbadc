"""Untrusted CSV tables: the answers to the Danish idioms, in their published form."""

import csv
from collections.abc import Iterator
from typing import IO

from gluepot.plurals import pluralize
from gluepot.submissions.parsing.lines import Rows, numbered_lines
from gluepot.submissions.problems import HOPELESS, Problems

ITEM, ANSWER = "talemaade_udtryk", "predicted_label"
LONGEST_ROW = 100
"""Maximum lines of one row, which quotation marks can stretch."""
LONGEST_LINE = 2**17
"""Maximum characters of a line of a table. The csv module's own limit is global to the process and may have been raised."""
_COMMAS = "Separate the columns with commas."


def read_table(stream: IO[bytes], file: str, problems: Problems) -> Rows:
    """Yield line numbers and records of a table with a header: the item's text as `text`, the answer as `prediction`."""
    lines = _TableLines(numbered_lines(stream, file, problems), file, problems)
    columns: tuple[int, int] | None = None
    for row in _rows(lines, file, problems):
        if columns is None:
            columns = _find_columns(row, lines, file, problems)
            if columns is None:
                return
        elif len(row) <= max(columns):
            message = f"a row of {pluralize(len(row), 'column')}, fewer than the header names."
            problems.add("broken-csv", message, file=file, line=lines.number, hint=_COMMAS)
        else:
            yield lines.number, {"text": row[columns[0]], "prediction": _as_number(row[columns[1]])}
    if columns is None and not problems.count(file):
        problems.add("empty-file", "the file is empty.", file=file, hint=f"A table with the columns {ITEM} and {ANSWER} is expected.")


def _rows(lines: "_TableLines", file: str, problems: Problems) -> Iterator[list[str]]:
    reader = csv.reader(lines, strict=True)
    while not problems.has_too_many(file):
        lines.taken = 0
        try:
            row = next(reader, None)
        except csv.Error as error:
            problems.add("broken-csv", f"not a row: {error}.", file=file, line=lines.number, hint="Close every quotation mark.")
            continue
        if row is None:
            return
        if row:
            yield row
    problems.add("gave-up", f"more than {HOPELESS:,} problems: the rest was not read.", file=file, hint="Mend these first.")


def _find_columns(header: list[str], lines: "_TableLines", file: str, problems: Problems) -> tuple[int, int] | None:
    names = [name.strip() for name in header]
    if ITEM in names and ANSWER in names:
        return names.index(ITEM), names.index(ANSWER)
    problems.add("wrong-type", f"no columns {ITEM} and {ANSWER}.", file=file, line=lines.number, hint=f"Keep the table's header. {_COMMAS}")
    return None


class _TableLines:
    """Decoded lines for the csv module, with the number of the last one and the number of lines that a row has taken."""

    def __init__(self, lines: Iterator[tuple[int, bytes]], file: str, problems: Problems) -> None:
        self._lines, self._file, self._problems = lines, file, problems
        self.number, self.taken = 0, 0

    def __iter__(self) -> "_TableLines":
        return self

    def __next__(self) -> str:
        for number, line in self._lines:
            self.number = number
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                message = f"byte {error.start + 1:,} is not UTF-8."
                self._problems.add("not-utf8", message, file=self._file, line=self.number, hint="Save the file as UTF-8.")
                continue
            self.taken += 1
            if self.taken > LONGEST_ROW:
                raise csv.Error(f"it takes more than {LONGEST_ROW} lines")
            if len(text) > LONGEST_LINE:
                raise csv.Error(f"a line of it has more than {LONGEST_LINE:,} characters")
            return text
        raise StopIteration


def _as_number(cell: str) -> int | str:
    text = cell.strip()
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else cell
