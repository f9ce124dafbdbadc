"""doccano: an archive with one file per annotator; exports of shared projects do not identify annotators."""

from pathlib import Path
from typing import Any

from gluepot.errors import WrongUse
from gluepot.people.formats.columns import RATERS, first_of
from gluepot.people.formats.files import Rows
from gluepot.people.votes import Vote, VoteTable

NAME = "doccano"
_SHARED = ("all", "unknown")


def recognises(rows: Rows) -> bool:
    labelled = rows.has("id", "text") and any(name in rows.columns for name in ("label", "labels", "entities"))
    lists = any(isinstance(record.get(name), list) for record in rows.records[:5] for name in ("label", "labels", "entities"))
    return labelled and first_of(rows.columns, RATERS) is None and (rows.archived or lists)


def read(rows: Rows, answer: str | None) -> VoteTable:
    rater = Path(rows.name).stem
    if not rows.archived or rater in _SHARED:
        raise WrongUse(
            f"{rows.name}: doccano's export of a shared project does not tell who annotated what. Export a file for each annotator."
        )
    column = next(name for name in (answer, "label", "labels", "entities") if name and name in rows.columns)
    table = VoteTable(by_name=True)
    for record in rows.records:
        value = _value(record.get(column))
        if value is None:
            table.left_out["texts without a label"] += 1
        else:
            inputs = {name: str(value) for name, value in record.items() if isinstance(value, str) and name != column}
            table.votes.append(Vote(str(record["id"]), rater, value, inputs=inputs, comment=str(record.get("Comments") or "")[:1000]))
    return table


def _value(labels: Any) -> Any:
    """Return one label, several, or spans."""
    if isinstance(labels, list):
        spans = [one for one in labels if isinstance(one, list | dict)]
        if spans:
            return tuple(sorted((int(s[0]), int(s[1]), str(s[2])) if isinstance(s, list) else _span(s) for s in spans))
        return None if not labels else str(labels[0]) if len(labels) == 1 else tuple(map(str, labels))
    return labels or None


def _span(span: dict[str, Any]) -> tuple[int, int, str]:
    return int(span["start_offset"]), int(span["end_offset"]), str(span["label"])
