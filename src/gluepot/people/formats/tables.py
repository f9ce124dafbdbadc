"""Plain tables: long (a row per vote: item, rater, value) and wide (a row per item, a column per rater)."""

from typing import Any

from gluepot.people.formats.columns import ITEMS, RATERS, as_number, cell, choose_answer, first_of, folded, wide_columns
from gluepot.people.formats.files import Record, Rows
from gluepot.people.votes import Vote, VoteTable

NAME = "table"
_TIMES = ("seconds", "duration", "lead_time", "time", "at", "created_at", "timestamp", "round", "kind")


def recognises(rows: Rows) -> bool:
    return _is_wide(rows) or first_of(rows.columns, RATERS) is not None


def read(rows: Rows, answer: str | None) -> VoteTable:
    return _read_wide(rows) if _is_wide(rows) else _read_long(rows, answer)


def _is_wide(rows: Rows) -> bool:
    return len(wide_columns(rows.columns)) > 1 or isinstance(next(iter(rows.records), {}).get("judgments"), list)


def _read_wide(rows: Rows) -> VoteTable:
    """Read a table with a column per rater, or with a list of judgments."""
    raters = wide_columns(rows.columns)
    name = first_of([column for column in rows.columns if column not in raters], ITEMS)
    distinct = name is not None and len({str(record.get(name)) for record in rows.records}) == len(rows.records)
    table = VoteTable("wide table", by_name=distinct)
    for number, record in enumerate(rows.records):
        inputs = {column: str(value) for column, value in record.items() if column not in raters and not isinstance(value, list | dict)}
        item = str(record[name]) if name and distinct else f"{rows.name}, row {number + 1}"
        for rater, value in _judgments(record, raters):
            if cell(value) is not None:
                table.votes.append(Vote(item, rater, cell(value), inputs=inputs))
    return table


def _judgments(record: Record, raters: list[str]) -> list[tuple[str, Any]]:
    if isinstance(record.get("judgments"), list):
        return [(f"a{place}", value) for place, value in enumerate(record["judgments"], start=1)]
    return [(rater, record.get(rater)) for rater in raters]


def _read_long(rows: Rows, answer: str | None) -> VoteTable:
    """Read a table with a row per vote."""
    rater, item = first_of(rows.columns, RATERS), first_of(rows.columns, ITEMS)
    seconds = first_of(rows.columns, ("seconds", "duration", "lead_time"))
    others = [column for column in rows.columns if column not in (rater, item, seconds, "") and folded(column) not in _TIMES]
    column = choose_answer(rows.name, others, answer)
    table = VoteTable("long table", by_name=item is not None)
    for record in rows.records:
        value = cell(record.get(column))
        inputs = {name: str(record.get(name) or "") for name in others if name != column}
        if value is None:
            table.left_out["rows without an answer"] += 1
            continue
        name = str(record.get(item)) if item else " ¦ ".join(inputs.values())
        table.votes.append(Vote(name, str(record.get(rater or "")), value, seconds=as_number(record.get(seconds or "")), inputs=inputs))
    return table
