"""Toloka's assignments, complete or any subset of their columns, with or without prefixes."""

from typing import Any

from gluepot.people.formats.columns import as_seconds, cell, choose_answer, folded
from gluepot.people.formats.files import Rows
from gluepot.people.votes import Vote, VoteKind, VoteTable

NAME = "Toloka"
REFUSED = ("rejected", "skipped", "expired", "active")
"""Assignments that were not submitted, or not accepted. APPROVED and SUBMITTED count."""
_PREFIXES = ("INPUT:", "OUTPUT:", "GOLDEN:", "HINT:", "ASSIGNMENT:")
_BOOK = {
    "link", "assignment_id", "task_id", "task_suite_id", "pool_id", "worker_id", "status", "started", "submitted", "accepted", "reward",
    "verdict", "hint_text", "",
}  # fmt: skip


def recognises(rows: Rows) -> bool:
    if any(column.startswith(_PREFIXES) for column in rows.columns):
        return True
    names = {folded(column) for column in rows.columns}
    return "worker_id" in names and bool(names & {"assignment_id", "task_suite_id", "status"} or len(names - _BOOK) > 2)


def read(rows: Rows, answer: str | None) -> VoteTable:
    """Read one vote per row; rows with a control answer or a hint are control or training votes."""
    table = VoteTable()
    columns = _Columns(rows, answer)
    for record in rows.records:
        status = folded(str(record.get(columns.status) or "")) if columns.status else ""
        value = cell(record.get(columns.answer))
        rater = cell(record.get(columns.rater)) if columns.rater else None
        if status in REFUSED:
            table.left_out[f"assignments {status}"] += 1
        elif value is None:
            table.left_out["rows without an answer"] += 1
        else:
            table.votes.append(columns.vote(record, value, str(rater or "?")))
    return table


class _Columns:
    """Roles of the columns of one file."""

    def __init__(self, rows: Rows, answer: str | None) -> None:
        self.plain = {column: column.partition(":")[2] if column.startswith(_PREFIXES) else column for column in rows.columns}
        self.rater = self._find("worker_id")
        self.status, self.started, self.submitted = self._find("status"), self._find("started"), self._find("submitted")
        outputs = [column for column in rows.columns if column.startswith("OUTPUT:")]
        others = [column for column in rows.columns if folded(self.plain[column]) not in _BOOK and not column.startswith(_PREFIXES)]
        self.answer = self._answer(rows.name, outputs or others, answer)
        inputs = [column for column in rows.columns if column.startswith("INPUT:")] or others
        self.inputs = [column for column in inputs if column != self.answer]
        self.golden = [column for column in rows.columns if column.startswith("GOLDEN:")]
        self.hints = [column for column in rows.columns if column.startswith("HINT:")]

    def _find(self, name: str) -> str | None:
        return next((column for column, plain in self.plain.items() if folded(plain) == name), None)

    def _answer(self, place: str, candidates: list[str], asked: str | None) -> str:
        by_plain = {self.plain[column]: column for column in candidates}
        return by_plain[choose_answer(place, list(by_plain), asked)]

    def vote(self, record: dict[str, Any], value: Any, rater: str) -> Vote:
        kind: VoteKind = "main"
        if any(cell(record.get(column)) is not None for column in self.golden):
            kind = "control"
        elif any(cell(record.get(column)) is not None for column in self.hints):
            kind = "training"
        inputs = {self.plain[column]: str(record.get(column) or "") for column in self.inputs}
        at = cell(record.get(self.submitted or self.started or ""))
        seconds = as_seconds(record, self.started, self.submitted)
        return Vote(" ¦ ".join(inputs.values()), rater, value, at, seconds, kind=kind, inputs=inputs)
