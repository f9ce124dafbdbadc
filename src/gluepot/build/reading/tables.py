"""Tables for makers: rows with their line numbers, columns matched by any of their usual names, and all faults recorded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.build.workbench import Workbench
from gluepot.data.scaffolding.table_files import READERS, read_file
from gluepot.errors import canonical_name
from gluepot.plurals import pluralize


@dataclass(frozen=True)
class TableRow:
    """Row of a table: its cells by column, and its position."""

    path: Path
    line: int
    cells: Mapping[str, Any]

    @property
    def source(self) -> str:
        return f"{self.path.name}:{self.line}"

    def text(self, name: str) -> str:
        value = self.cells.get(name)
        return "" if value is None else str(value).strip()


def read_rows(
    bench: Workbench, path: Path, wanted: Mapping[str, Sequence[str]], optional: Mapping[str, Sequence[str]] = {}
) -> list[TableRow]:
    """Return the rows of a table with normalised column names; `wanted` and `optional` list the accepted aliases."""
    rows = list(_rows(bench, path))
    if not rows:
        return []
    header = dict.fromkeys(name for row in rows for name in row.cells)
    columns = {canonical_name(name): name for name in header}
    names = {ours: _found(columns, (ours, *theirs)) for ours, theirs in {**wanted, **optional}.items()}
    missing = [ours for ours in wanted if names[ours] is None]
    if missing:
        usual = "; ".join(f"{ours} (or {', '.join(wanted[ours])})" if wanted[ours] else ours for ours in missing)
        bench.fault(path, 1, f"no column {usual}. The table has {', '.join(header)}.")
        return []
    others = [column for column in header if column not in names.values()]
    found = [
        TableRow(
            row.path,
            row.line,
            {
                **{column: row.cells.get(column) for column in others},
                **{ours: row.cells.get(theirs) for ours, theirs in names.items() if theirs},
            },
        )
        for row in rows
    ]
    for row in found:
        if empty := [ours for ours in wanted if row.cells.get(ours) in (None, "", [])]:
            bench.fault(path, row.line, f"nothing in {', '.join(empty)}.")
    return found


def _found(columns: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((columns[canonical_name(name)] for name in names if canonical_name(name) in columns), None)


def _rows(bench: Workbench, path: Path) -> Iterator[TableRow]:
    if path.suffix.lower() not in READERS:
        bench.fault(path, None, f"cannot read {path.suffix or 'a file without an ending'}; known: {', '.join(READERS)}.")
        return
    if path.suffix.lower() == ".tsv":
        yield from read_tsv(bench, path)
        return
    found = read_file(path)
    bench.faults += found.fault_lines()
    if not found.rows and not found.faults:
        bench.fault(path, None, "there are no rows.")
    for line, row in zip(found.lines, found.rows, strict=True):
        yield TableRow(path, line, row)


def read_tsv(bench: Workbench, path: Path) -> Iterator[TableRow]:
    """Yield one row per line with tab-separated cells; quotation marks are text, since corpora are full of them."""
    header: list[str] = []
    for number, line in enumerate(read_lines(bench, path), start=1):
        cells = line.split("\t")
        if not header:
            header = [cell.strip() for cell in cells]
        elif line.strip():
            if len(cells) != len(header):
                bench.fault(path, number, f"{pluralize(len(cells), 'cell')} where the header has {len(header)}.")
            else:
                yield TableRow(path, number, {name: _unquoted(cell) for name, cell in zip(header, cells, strict=True)})


def read_lines(bench: Workbench, path: Path, encoding: str = "utf-8-sig") -> list[str]:
    """Return lines without line ends."""
    try:
        text = path.read_bytes().decode(encoding)
    except UnicodeDecodeError as error:
        bench.fault(path, path.read_bytes()[: error.start].count(b"\n") + 1, f"not {encoding.removesuffix('-sig').upper()}.")
        return []
    return text.replace("\r\n", "\n").split("\n")


def _unquoted(cell: str) -> str:
    """Unquote a cell quoted by a spreadsheet.

    >>> _unquoted('"Han sa ""kom"", och gick."'), _unquoted('"Kom!" sa han.')
    ('Han sa "kom", och gick.', '"Kom!" sa han.')
    """
    inner = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "") and '""' in inner:
        return inner.replace('""', '"')
    return cell
