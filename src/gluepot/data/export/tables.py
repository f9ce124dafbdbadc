"""Table files: Parquet or JSON Lines, byte-identical for the same rows."""

import json
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gluepot.data.export.columns import LABEL, Column
from gluepot.errors import DataMissing

Rows = Iterable[Sequence[Any]]


def has_parquet() -> bool:
    return find_spec("pyarrow") is not None


def write_parquet(path: Path, columns: Sequence[Column], rows: Rows) -> None:
    """Write Parquet with labels as strings: readable without `datasets`, which converts them to numbers."""
    try:
        import pyarrow
        from pyarrow.parquet import write_table
    except ModuleNotFoundError as error:
        raise DataMissing("Parquet files need pyarrow: pip install 'gluepot[parquet]', or take --format jsonl.") from error
    types = {
        "string": pyarrow.string(),
        LABEL: pyarrow.string(),
        "int64": pyarrow.int64(),
        "float64": pyarrow.float64(),
        "bool": pyarrow.bool_(),
    }
    values: list[list[Any]] = [[] for _ in columns]
    for row in rows:
        for cells, value in zip(values, row, strict=True):
            cells.append(value)
    fields = []
    for column in columns:
        type_ = types[column.type]
        for _ in range(column.depth):
            type_ = pyarrow.list_(type_)
        fields.append(pyarrow.field(column.name, type_))
    arrays = [pyarrow.array(cells, field.type) for cells, field in zip(values, fields, strict=True)]
    write_table(pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields)), path)


def write_jsonl(path: Path, columns: Sequence[Column], rows: Rows) -> None:
    names = [column.name for column in columns]
    with path.open("w", encoding="utf-8", newline="\n") as lines:
        for row in rows:
            lines.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")


WRITERS: dict[str, Callable[[Path, Sequence[Column], Rows], None]] = {"parquet": write_parquet, "jsonl": write_jsonl}
MEDIA_TYPES = {"parquet": "application/x-parquet", "jsonl": "application/jsonlines"}
