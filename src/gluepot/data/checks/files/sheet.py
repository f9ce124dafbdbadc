"""Checks of documentation: completeness of the sheet and of the publisher's own."""

from collections.abc import Iterator
from pathlib import Path

from gluepot.data.checks.findings import Finding
from gluepot.data.checks.material import CHECKS, Material
from gluepot.data.folders import source_files
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.records import Task
from gluepot.tasks.sheets import load_sheet, read_official


@CHECKS.register("sheet")
def check_sheet(material: Material) -> Iterator[Finding]:
    try:
        missing = load_sheet(material.task).missing()
    except WrongUse as error:
        yield material.problem("sheet-incomplete", None, str(error))
        return
    if missing:
        message = f"the sheet lacks {pluralize(len(missing), 'required field')}"
        yield material.problem("sheet-incomplete", None, message, (name.rstrip("*") for name in missing))
    for path in official_sheets(material.task):
        lacking = read_official(path).missing()
        if lacking:
            message = f"{path.name} lacks {pluralize(len(lacking), 'required field')}"
            yield material.note("official-sheet", None, message, (name.rstrip("*") for name in lacking))


def official_sheets(task: Task) -> list[Path]:
    """Return the publisher's sheets found beside a task's files."""
    folders = {path.parent for source in task.sources for split in source.files for path in source_files(task, source, split)}
    return sorted(path for folder in folders for path in folder.glob("*documentation[-_]sheet.tsv"))
