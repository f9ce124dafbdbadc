"""Contents of an export: tasks with their columns and splits, as described by card and metadata."""

from dataclasses import dataclass

from gluepot.data.export.columns import Column
from gluepot.data.export.licenses import License
from gluepot.records import Suite, Task

CARD, METADATA = "README.md", "croissant.json"


@dataclass(frozen=True)
class ExportedSplit:
    """One exported file."""

    name: str
    """Name of the split in the suite."""
    hub_name: str
    path: str
    examples: int
    sha256: str
    bytes: int
    unlabelled: bool
    """Whether it contains no answers."""


@dataclass(frozen=True)
class ExportedTask:
    """One configuration of the dataset."""

    task: Task
    columns: list[Column]
    splits: list[ExportedSplit]
    absent: list[str]
    """Declared splits that are not available."""
    licenses: tuple[License, ...]

    @property
    def examples(self) -> int:
        return sum(split.examples for split in self.splits)


@dataclass(frozen=True)
class ExportedSuite:
    """A complete export."""

    suite: Suite
    tasks: list[ExportedTask]
    format: str
    files: dict[str, str]
    """sha256 of every written file, by path."""

    @property
    def examples(self) -> int:
        return sum(task.examples for task in self.tasks)

    @property
    def licenses(self) -> list[License]:
        return list(dict.fromkeys(one for task in self.tasks for one in task.licenses))

    @property
    def languages(self) -> list[str]:
        return list(dict.fromkeys(task.task.language for task in self.tasks))
