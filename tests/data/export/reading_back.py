"""Reading of exported tasks with the package's readers, by a declaration whose fields have the names of the exported columns."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.data.export.columns import slice_columns
from gluepot.data.export.layout import ExportedTask
from gluepot.records import Example, Slices, Source


def read_back(one: ExportedTask, folder: Path, format_: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Example]]:
    """Return the examples of an exported task by the suite's names of its splits."""
    monkeypatch.setenv("GLUEPOT_DATA", str(folder.parent))
    task, slices = one.task, one.task.slices
    told = Slices(slice_columns(task), slices.separator, slices.coarse) if slices else None
    fields = {column.name: column.name for column in one.columns}
    source = Source({split.name: split.path for split in one.splits}, reader=format_, folder=folder.name)
    task = replace(task, data=source, alternative=None, alternative_fields={}, fields=fields, slices=told, folder="")
    return {split.name: [without_nulls(example) for example in load_examples(task, split.name)] for split in one.splits}


def without_nulls(example: Example) -> Example:
    """Return the example without the null inputs that tables store for missing values."""
    inputs = {name: value for name, value in example.inputs.items() if value is not None}
    return Example(example.id, inputs, example.target, example.group, example.tags)
