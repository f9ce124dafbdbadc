"""The formats that declarations name: of data files, by their readers, and of submissions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.records import Task
from gluepot.registry import Registry

Record = dict[str, Any]
Reader = Callable[[Sequence[Path], str], Iterator[Record]]
"""Takes the files of a split, in order, and the split's name; yields flat records that `[fields]` can point into."""

READERS: Registry[Reader] = Registry("reader", home="gluepot.data.readers")
JUDGED: Any = object()
"""The key under which a flattened record says how many options it judged: no string, so that no file can have it."""


@dataclass(frozen=True)
class SubmissionFormat:
    """One way to hand in predictions: how a record names its item and its answer. Everything else is shared."""

    name: str
    summary: str
    own_answers: bool = False
    """Whether the answer stands where the data has its gold (`label`, `tags`), the records being the data's own shape."""
    expand: Callable[[Task, dict[str, Any]], Iterator[dict[str, Any]]] | None = None
    """Turns a nested record into one flat record an item."""
    table: tuple[str, str] | None = None
    """The task and split that a CSV table answers, whatever its name."""
    table_column: str = ""
    """A column by which such a table is known."""
    describes: bool = False
    """Whether a JSON file beside the predictions describes the model and states scores."""


FORMATS: Registry[SubmissionFormat] = Registry("submission format")


FORMATS.add(
    "jsonl", SubmissionFormat("jsonl", 'One file `<task>.jsonl` for each task, with one line `{"id": …, "prediction": …}` for each item.')
)
