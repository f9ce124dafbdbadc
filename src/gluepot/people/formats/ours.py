"""gluepot's own `votes.jsonl`: one vote per line."""

from gluepot.errors import GluepotError
from gluepot.people.formats.files import Rows
from gluepot.people.votes import Vote, VoteTable

NAME = "votes.jsonl"
_KNOWN = {"item", "rater", "value", "at", "seconds", "round", "kind", "question", "comment", "inputs"}


def recognises(rows: Rows) -> bool:
    return rows.has("item", "rater", "value") and rows.name.endswith((".jsonl", ".json", ".ndjson")) and set(rows.columns) <= _KNOWN


def read(rows: Rows, answer: str | None) -> VoteTable:
    """Read one vote per line; `answer` selects one of several questions, and votes without a question belong to any."""
    import msgspec

    table = VoteTable(by_name=True)
    for number, record in enumerate(rows.records, start=1):
        try:
            vote = msgspec.convert(record, Vote)
        except msgspec.ValidationError as error:
            raise GluepotError(f"{rows.name}:{number}: {error}.") from error
        if answer and vote.question and vote.question != answer:
            table.left_out["votes on other questions"] += 1
        elif vote.value is None:
            table.left_out["items that were skipped"] += 1
        else:
            table.votes.append(vote)
    questions = list(dict.fromkeys(vote.question for vote in table.votes))
    if len(questions) > 1:
        raise GluepotError(f"{rows.name}: votes on several questions. --answer names one of {', '.join(questions)}.")
    return table
