"""Registries of the formats named in declarations: readers of data files, and submission formats."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.records import Task
from gluepot.registry import Registry

Record = dict[str, Any]
Reader = Callable[[Sequence[Path], str], Iterator[Record]]
"""Takes the files of a split, in order, and the split's name; yields flat records that `[fields]` refers to."""

READERS: Registry[Reader] = Registry("reader", home="gluepot.data.readers")
JUDGED: Any = object()
"""Key of the number of judged options in a flattened record; not a string, so that it cannot occur in a file."""


@dataclass(frozen=True)
class SubmissionFormat:
    """Submission format: the way in which a record names its item and its answer."""

    name: str
    summary: str
    own_answers: bool = False
    """Whether records have the shape of the data, with the answer in the gold field (`label`, `tags`)."""
    expand: Callable[[Task, dict[str, Any]], Iterator[dict[str, Any]]] | None = None
    """Expands a nested record into one flat record per item."""
    table: tuple[str, str] | None = None
    """Task and split of a CSV table, regardless of its file name."""
    table_column: str = ""
    """Column that identifies such a table."""
    describes: bool = False
    """Whether a JSON file next to the predictions describes the model and states scores."""


FORMATS: Registry[SubmissionFormat] = Registry("submission format")


FORMATS.add(
    "jsonl", SubmissionFormat("jsonl", 'One file `<task>.jsonl` for each task, with one line `{"id": …, "prediction": …}` for each item.')
)
