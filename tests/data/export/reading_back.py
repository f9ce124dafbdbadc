"""An exported task read with our own readers, by a declaration in which every field has our name."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gluepot.data.examples import load_examples
from gluepot.data.export.columns import slice_columns
from gluepot.data.export.layout import ExportedTask
from gluepot.records import Example, Slices, Source


def read_back(one: ExportedTask, folder: Path, format_: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Example]]:
    """Our names of splits to their examples."""
    monkeypatch.setenv("GLUEPOT_DATA", str(folder.parent))
    task, slices = one.task, one.task.slices
    told = Slices(slice_columns(task), slices.separator, slices.coarse) if slices else None
    fields = {column.name: column.name for column in one.columns}
    source = Source({split.name: split.path for split in one.splits}, reader=format_, folder=folder.name)
    task = replace(task, data=source, alternative=None, alternative_fields={}, fields=fields, slices=told, folder="")
    return {split.name: [without_nulls(example) for example in load_examples(task, split.name)] for split in one.splits}


def without_nulls(example: Example) -> Example:
    """A table has every column in every row: what an item lacks is null there."""
    inputs = {name: value for name, value in example.inputs.items() if value is not None}
    return Example(example.id, inputs, example.target, example.group, example.tags)
