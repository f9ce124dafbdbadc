"""Label Studio: JSON with annotations in tasks, JSON-MIN, or CSV with a row per annotation."""

from typing import Any

from gluepot.errors import WrongUse
from gluepot.people.formats.columns import as_number, cell, choose_answer, folded
from gluepot.people.formats.files import Record, Rows
from gluepot.people.votes import Vote, VoteKind, VoteTable

NAME = "Label Studio"
_BOOK = {"id", "annotator", "annotation_id", "lead_time", "created_at", "updated_at", "agreement", "inner_id"}


def recognises(rows: Rows) -> bool:
    return rows.has("annotations", "data") or rows.has("annotator", "annotation_id")


def read(rows: Rows, answer: str | None) -> VoteTable:
    return _read_json(rows, answer) if rows.has("annotations") else _read_flat(rows, answer)


def _read_json(rows: Rows, answer: str | None) -> VoteTable:
    table = VoteTable(by_name=True)
    questions = list(
        dict.fromkeys(
            str(part.get("from_name")) for task in rows.records for one in task["annotations"] or [] for part in one.get("result") or []
        )
    )
    question = choose_answer(rows.name, questions, answer) if questions else ""
    for task in rows.records:
        data = task.get("data") or {}
        inputs = {name: str(value) for name, value in data.items() if isinstance(value, str | int | float)}
        item = str(data.get("id", task.get("id")))
        for one in task["annotations"] or []:
            _take(table, one, item, inputs, question)
    return table


def _take(table: VoteTable, one: Record, item: str, inputs: dict[str, str], question: str) -> None:
    parts = [part for part in one.get("result") or [] if part.get("from_name") == question]
    if one.get("was_cancelled"):
        table.left_out["annotations cancelled"] += 1
    elif not parts:
        table.left_out["annotations without an answer"] += 1
    else:
        kind: VoteKind = "control" if one.get("ground_truth") else "main"
        value = parts_value([part.get("value") or {} for part in parts])
        table.votes.append(
            Vote(
                item,
                _rater(one.get("completed_by")),
                value,
                one.get("created_at"),
                as_number(one.get("lead_time")),
                kind=kind,
                inputs=inputs,
            )
        )


def parts_value(values: list[Record]) -> Any:
    """Combine the parts of one answer into a label, several labels, a number, a text, or spans."""
    if any("start" in value for value in values):
        return tuple(sorted((int(v["start"]), int(v["end"]), str((v.get("labels") or [""])[0])) for v in values if "start" in v))
    found: list[Any] = []
    for value in values:
        for key in ("choices", "rating", "number", "text"):
            if key in value:
                found += value[key] if isinstance(value[key], list) else [value[key]]
    if not found:
        raise WrongUse(f"Label Studio: answers of the form {', '.join(values[0]) or 'nothing'} are not known here.")
    return found[0] if len(found) == 1 else tuple(found)


def _rater(by: Any) -> str:
    """Return the rater's id, never their e-mail address."""
    return str(by.get("id", "?")) if isinstance(by, dict) else str(by)


def _read_flat(rows: Rows, answer: str | None) -> VoteTable:
    table = VoteTable("Label Studio (a row an annotation)", by_name="id" in rows.columns)
    others = [column for column in rows.columns if folded(column) not in _BOOK]
    column = choose_answer(rows.name, others, answer)
    for record in rows.records:
        value = cell(record.get(column))
        inputs = {name: str(record.get(name) or "") for name in others if name != column}
        if isinstance(value, dict):
            value = tuple(value.get("choices") or ()) or None
        if value is None:
            table.left_out["annotations without an answer"] += 1
            continue
        item = str(record.get("id") or " ¦ ".join(inputs.values()))
        table.votes.append(
            Vote(
                item, _rater(record["annotator"]), value, cell(record.get("created_at")), as_number(record.get("lead_time")), inputs=inputs
            )
        )
    return table
