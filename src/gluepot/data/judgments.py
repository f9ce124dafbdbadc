"""Judgments of several annotators on the same items, from any table with one column per annotator."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.data.examples import read_records
from gluepot.data.readers import read_jsonl
from gluepot.errors import GluepotError
from gluepot.records import Task
from gluepot.tasks.formats import Record

_ANNOTATOR = re.compile(r"(a|anno|annotator|rater)[ _-]?\d+", re.IGNORECASE)


@dataclass(frozen=True)
class ControlPair:
    """One pair that an annotator judged twice."""

    pair: str
    annotator: str
    first: float
    second: float


def read_tables(files: Sequence[Path]) -> list[Record]:
    """Read the rows of JSON Lines, TSV or CSV files, one file after the other."""
    rows: list[Record] = []
    for path in files:
        if path.suffix in (".jsonl", ".ndjson"):
            rows += read_jsonl([path], "")
            continue
        with path.open(encoding="utf-8-sig", newline="") as lines:
            delimiter = "\t" if path.suffix == ".tsv" else ","
            rows += [{(k or "").strip(): v for k, v in row.items()} for row in csv.DictReader(lines, delimiter=delimiter)]
    return rows


def ratings(rows: Iterable[Record], place: str) -> NDArray[np.float64]:
    """Return an array of items by annotators, with NaN for missing judgments."""
    rows = list(rows)
    if rows and isinstance(rows[0].get("judgments"), list):
        return np.array([row["judgments"] for row in rows], float)
    names = [name for name in (rows[0] if rows else ()) if _ANNOTATOR.fullmatch(name)]
    if len(names) < 2:
        known = ", ".join(rows[0]) if rows else "nothing"
        raise GluepotError(f"{place}: no columns of annotators (a1, a2… or Anno 1…); it has {known}.")
    return np.array([[_number(row.get(name)) for name in names] for row in rows])


def control_pairs(rows: Iterable[Record]) -> list[ControlPair]:
    """Return the pairs judged twice, from rows with pair, annotator, first and second; other rows are skipped."""
    return [
        ControlPair(str(row["pair"]), str(row["annotator"]), float(row["first"]), float(row["second"]))
        for row in rows
        if {"pair", "annotator", "first", "second"} <= row.keys()
    ]


def task_judgments(task: Task) -> NDArray[np.float64]:
    """Return the judgments behind a task's gold scores, over all its splits."""
    rows: list[Record] = []
    for split in task.data.files:
        rows += read_records(task, split)[2]
    return ratings(rows, task.path)


def _number(cell: Any) -> float:
    return float("nan") if cell is None or cell == "" else float(cell)
