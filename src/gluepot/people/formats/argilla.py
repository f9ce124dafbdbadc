"""Argilla: records with responses by question, nested or flat."""

from collections.abc import Iterator
from typing import Any

import msgspec

from gluepot.people.formats.columns import choose_answer
from gluepot.people.formats.files import Record, Rows
from gluepot.people.votes import Vote, VoteTable

NAME = "Argilla"
_SUFFIX = ".responses"
TAKEN = ("submitted", "")
"""Statuses of responses that count; drafts and discarded ones do not, and responses without a status are accepted."""


def recognises(rows: Rows) -> bool:
    return rows.has("responses", "fields") or any(column.endswith(_SUFFIX) for column in rows.columns)


def read(rows: Rows, answer: str | None) -> VoteTable:
    table = VoteTable(by_name=True)
    nested = rows.has("responses")
    if nested:
        questions = list(dict.fromkeys(name for record in rows.records for name in record["responses"] or {}))
    else:
        questions = [column.removesuffix(_SUFFIX) for column in rows.columns if column.endswith(_SUFFIX)]
    question = choose_answer(rows.name, questions, answer)
    unknown = 0
    for number, record in enumerate(rows.records):
        fields = record.get("fields") if nested else {key: value for key, value in record.items() if not key.startswith(question)}
        inputs = {name: str(value) for name, value in (fields or {}).items() if isinstance(value, str | int | float)}
        for value, rater, status in _nested(record, question) if nested else _flat(record, question):
            unknown += not status
            if status not in TAKEN:
                table.left_out[f"responses {status}"] += 1
            elif value is not None:
                table.votes.append(Vote(str(record.get("id", number)), rater, _plain(value), inputs=inputs))
    if unknown:
        table.format = "Argilla (without a status: drafts and discarded responses, if any, are among the votes)"
    return table


def _nested(record: Record, question: str) -> Iterator[tuple[Any, str, str]]:
    for one in (record["responses"] or {}).get(question) or []:
        yield one.get("value"), str(one.get("user_id", "?")), str(one.get("status") or "")


def _flat(record: Record, question: str) -> Iterator[tuple[Any, str, str]]:
    values, users, states = (_items(record.get(f"{question}{end}")) for end in (_SUFFIX, f"{_SUFFIX}.users", f"{_SUFFIX}.status"))
    for place, value in enumerate(values):
        yield value, str(users[place]) if place < len(users) else "?", str(states[place]) if place < len(states) else ""


def _items(value: Any) -> list[Any]:
    """Return a list, parsing one that a table contains as text."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = msgspec.json.decode(value.replace("'", '"'))
        except msgspec.DecodeError:
            return [value]
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple((int(v["start"]), int(v["end"]), str(v["label"])) if isinstance(v, dict) else str(v) for v in value)
    return value
