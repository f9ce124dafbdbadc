"""Submission format: nouns as ids, and genders as dictionary abbreviations."""

from collections.abc import Iterator
from typing import Any

from gluepot.records import Task
from gluepot.tasks.formats import FORMATS, SubmissionFormat
from gluepot_faroe.readers import GENDERS


def expand(task: Task, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Convert a noun with its abbreviation to an id with a label; other records are passed through as in `jsonl`."""
    if "noun" not in record:
        yield record
        return
    letters = record["gender"]
    yield {"id": record["noun"], "prediction": GENDERS.get(letters, letters)}


SUMMARY = (
    'One file `<task>.jsonl` for each task, with one line `{"noun": "bátur", "gender": "k"}` for each noun; '
    'in other tasks `{"id": …, "prediction": …}` for each item.'
)
FORMATS.add("gender-list", SubmissionFormat("gender-list", SUMMARY, expand=expand))
