"""Checks of availability: declared files that are missing, by task or split."""

from collections.abc import Iterator

from gluepot.data.checks.findings import Finding
from gluepot.data.checks.material import CHECKS, Material
from gluepot.data.folders import source_files, source_folder
from gluepot.records import Source, Task


@CHECKS.register("absence")
def check_absence(material: Material) -> Iterator[Finding]:
    task = material.task
    if not material.splits:
        missing = dict.fromkeys(name for split in task.data.files for name in missing_files(task, task.data, split))
        yield material.problem("task-absent", None, "none of its files is available", missing)
        return
    for name in material.absent:
        # A split that only the alternative source declares is not required of users of the main one.
        say = material.problem if name in task.data.files else material.note
        source = task.data if name in task.data.files else task.sources[-1]
        yield say("split-absent", name, "missing", missing_files(task, source, name))


def missing_files(task: Task, source: Source, split: str) -> list[str]:
    """Return the missing files of a split as paths below the data folder's name."""
    folder = source_folder(task, source)
    gone = [path for path in source_files(task, source, split) if not path.is_file()]
    return [f"{source.folder or task.suite}/{path.relative_to(folder).as_posix()}" for path in gone]
