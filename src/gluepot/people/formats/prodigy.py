"""Prodigy's JSON Lines: accepted options, or one label accepted or rejected."""

from datetime import UTC, datetime
from typing import Any

from gluepot.people.formats.files import Record, Rows
from gluepot.people.votes import Vote, VoteTable

NAME = "Prodigy"


def recognises(rows: Rows) -> bool:
    return rows.has("answer") and any(name in rows.columns for name in ("_input_hash", "_annotator_id", "_session_id"))


def read(rows: Rows, answer: str | None) -> VoteTable:
    table = VoteTable(by_name=True)
    for record in rows.records:
        if record.get("answer") not in ("accept", "reject"):
            table.left_out["answers ignored"] += 1
            continue
        value = _value(record)
        if value is None:
            table.left_out["answers rejected"] += 1
            continue
        rater = str(record.get("_annotator_id") or record.get("_session_id") or "?")
        inputs = {name: str(value) for name, value in record.items() if isinstance(value, str | int | float) and not name.startswith("_")}
        inputs.pop("answer", None)
        item = record.get("id") or (record.get("meta") or {}).get("id") or record.get("_input_hash")
        table.votes.append(Vote(str(item), rater, value, _time(record.get("_timestamp")), inputs=inputs))
    return table


def _value(record: Record) -> Any:
    """Return the accepted options or spans, or for a single label whether it was accepted."""
    accepted = record["answer"] == "accept"
    if record.get("options"):
        chosen = [str(one) for one in record.get("accept") or []]
        return None if not accepted else chosen[0] if len(chosen) == 1 else tuple(chosen)
    if isinstance(record.get("spans"), list):
        spans = sorted((int(span["start"]), int(span["end"]), str(span.get("label", ""))) for span in record["spans"])
        return tuple(spans) if accepted else None
    if record.get("label") is not None:
        return str(record["label"]) if accepted else f"not {record['label']}"
    return record["answer"]


def _time(stamp: Any) -> str | None:
    return datetime.fromtimestamp(stamp, UTC).isoformat() if isinstance(stamp, int | float) else None
