"""Vote files: formats are detected from their columns and read into votes."""

from collections.abc import Sequence
from pathlib import Path

from gluepot.errors import GluepotError, WrongUse
from gluepot.people.formats import argilla, doccano, label_studio, ours, potato, prodigy, tables, toloka
from gluepot.people.formats.files import Rows, read_rows
from gluepot.people.votes import VoteTable

FORMATS = (ours, label_studio, argilla, prodigy, doccano, potato, toloka, tables)
"""Modules with NAME, `recognises(rows)` and `read(rows, answer)`; the first one that recognises a file reads it."""


def read_votes(paths: Sequence[Path], answer: str | None = None) -> VoteTable:
    """Read all votes of files of possibly different formats; `answer` names the column or question if there are several."""
    whole = VoteTable()
    names: list[str] = []
    for path in paths:
        for rows in read_rows(path):
            form = next((form for form in FORMATS if form.recognises(rows)), None)
            if form is None:
                raise GluepotError(unreadable(rows))
            part = form.read(rows, answer)
            whole.votes += part.votes
            whole.left_out += part.left_out
            whole.by_name = whole.by_name or part.by_name
            names.append(part.format or form.NAME)
        whole.files.append(path)
    whole.format = ", ".join(dict.fromkeys(names))
    if not whole.votes:
        why = "; ".join(f"{count:,} {reason}" for reason, count in whole.left_out.items())
        raise WrongUse(f"{', '.join(path.name for path in paths)}: no votes{f': {why}' if why else ''}.")
    return whole


def unreadable(rows: Rows) -> str:
    """Return the error message for a file in an unknown format."""
    known = ", ".join(rows.columns[:12]) or "nothing"
    return (
        f"{rows.name}: not a table of votes that is known here; it has {known}. Taken are exports of Toloka, Label Studio, Prodigy, "
        "Argilla, doccano and Potato, long tables (item, rater, value), wide ones (a column a rater: a1, a2…) and votes.jsonl."
    )
