"""Export of a split without items whose votes contradict their label, for validating automatically constructed tasks."""

from collections.abc import Collection
from pathlib import Path

from gluepot.data.examples import load_examples
from gluepot.data.folders import find_files
from gluepot.errors import WrongUse
from gluepot.files import write_atomically
from gluepot.records import Task


def write_remaining_items(task: Task, split: str, dropped: Collection[str], path: Path) -> int:
    """Write the split's original lines without the dropped items, and return the number of lines left."""
    source, files = find_files(task, split)
    lines = files[0].read_bytes().splitlines(keepends=True) if len(files) == 1 and source.reader == "jsonl" else []
    lines = [line for line in lines if line.strip()]
    examples = load_examples(task, split)
    if len(lines) != len(examples):
        raise WrongUse(f"{task.path}: {split} is not one line of JSON an item; --json lists the items under against_label.")
    if path.exists():
        raise WrongUse(f"{path}: is there already. Choose another name.")
    kept = [line for line, example in zip(lines, examples, strict=True) if example.id not in dropped]
    write_atomically(path, b"".join(kept))
    return len(kept)
