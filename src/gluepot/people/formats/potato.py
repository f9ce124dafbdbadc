"""Potato: instance and user, and one column per question, or one per label of each question."""

from typing import Any

from gluepot.people.formats.columns import cell, choose_answer
from gluepot.people.formats.files import Record, Rows
from gluepot.people.votes import Vote, VoteTable

NAME = "Potato"
_BOOK = {"instance_id", "user_id", "user", "displayed_text", "text", "behavioral_data", "span_annotations", "link_annotations", "timestamp"}
_LABELS = "label_annotations"
_MARK = ":::"


def recognises(rows: Rows) -> bool:
    return "instance_id" in rows.columns and any(name in rows.columns for name in ("user_id", "user"))


def read(rows: Rows, answer: str | None) -> VoteTable:
    table = VoteTable(by_name=True)
    questions = _questions(rows)
    question = choose_answer(rows.name, questions, answer)
    for record in rows.records:
        value = _value(record, question)
        if value is None:
            table.left_out["rows without an answer"] += 1
            continue
        shown = record.get("displayed_text") or record.get("text")
        inputs = {"text": str(shown)} if shown else {}
        rater = str(record.get("user_id") or record.get("user"))
        table.votes.append(Vote(str(record["instance_id"]), rater, value, inputs=inputs))
    return table


def _questions(rows: Rows) -> list[str]:
    if _LABELS in rows.columns:
        return list(dict.fromkeys(name for record in rows.records for name in record.get(_LABELS) or {}))
    return list(dict.fromkeys(column.partition(_MARK)[0] for column in rows.columns if column not in _BOOK))


def _value(record: Record, question: str) -> Any:
    """Return the answer from its own column, or the labels whose columns are not empty."""
    if _LABELS in record:
        chosen = [str(label) for label, on in ((record[_LABELS] or {}).get(question) or {}).items() if on not in (None, "", False, "false")]
    elif question in record:
        return cell(record[question])
    else:
        ticked = {column.partition(_MARK)[2]: cell(on) for column, on in record.items() if column.startswith(f"{question}{_MARK}")}
        chosen = [label for label, on in ticked.items() if on not in (None, "0", "false", "False")]
    return None if not chosen else chosen[0] if len(chosen) == 1 else tuple(chosen)
