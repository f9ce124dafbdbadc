"""Export a suite as a dataset for the Hugging Face Hub and `datasets`, with a card and Croissant metadata."""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.output import print_json, print_notices
from gluepot.errors import GluepotError, WrongUse, unknown
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import find, find_task

if TYPE_CHECKING:
    from gluepot.data.export.layout import ExportedSuite, ExportedTask


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="SUITE[/TASK]")
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder")
    parser.add_argument("--tasks", metavar="A,B", help="only these tasks (default: all)")
    parser.add_argument("--format", choices=["parquet", "jsonl"], help="file format (default: parquet if pyarrow is installed)")
    parser.add_argument("--available", action="store_true", help="export only the data that is available; the card says what is missing")
    parser.add_argument(
        "--accept-license",
        metavar="NAME",
        action="append",
        default=[],
        help="confirm that you have read this licence, unknown to gluepot, and that it permits redistribution",
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier export in DIR; other files there are kept")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.data.export import export_suite
    from gluepot.data.export.tables import has_parquet

    suite, task = find(options.path)
    tasks = choose_tasks(suite, task, options.tasks)
    format_ = options.format or ("parquet" if has_parquet() else "jsonl")
    if options.format is None and format_ == "jsonl":
        print_notices(["pyarrow is not installed: writing JSON Lines. For Parquet, pip install 'gluepot[parquet]'."])
    try:
        exported = export_suite(
            suite,
            options.folder,
            tasks,
            format_=format_,
            available=options.available,
            accepted=options.accept_license,
            force=options.force,
            watch=_watch,
        )
    except OSError as error:
        raise GluepotError(f"{options.folder} was not written: {error.filename or options.folder}: {error.strerror or error}.") from error
    if options.json:
        print_json(_document(exported, options.folder))
    else:
        show(exported, options.folder)
    return 0


def choose_tasks(suite: Suite, task: Task | None, names: str | None) -> list[Task]:
    """Return the selected tasks, in the suite's order; the error names all unknown ones."""
    if names is None:
        return [task] if task else list(suite.tasks.values())
    if task is not None:
        raise WrongUse(f"{task.path} is a single task: --tasks is for suites.")
    chosen, strange = [], []
    for name in filter(None, (one.strip() for one in names.split(","))):
        try:
            chosen.append(find_task(suite, name).name)
        except WrongUse:
            strange.append(unknown("task", name, suite.tasks))
    if strange or not chosen:
        raise WrongUse(f"{suite.name}: --tasks: {' '.join(strange) or 'no task given.'}")
    return [one for name, one in suite.tasks.items() if name in chosen]


def show(exported: "ExportedSuite", folder: Path) -> None:
    """Print one line per task, the remarks, and the next step."""
    width = max(len(one.task.name) for one in exported.tasks)
    for one in exported.tasks:
        print(f"{one.task.name:<{width}}  {', '.join(f'{split.hub_name} {split.examples:,}' for split in one.splits)}")
    for one in exported.tasks:
        for remark in remarks(one):
            print(f"{one.task.name}: {remark}")
    licenses = ", ".join(one.name for one in exported.licenses)
    counts = f"{pluralize(len(exported.tasks), 'task')}, {pluralize(exported.examples, 'item')}"
    print(f"{counts} in {folder} ({exported.format}; {licenses}).")
    if any(one.noncommercial for one in exported.licenses):
        print("Not for commercial use, according to some of these licences; the card says so too.")
    print(f"Upload to the Hub: hf upload OWNER/{exported.suite.name} {shlex.quote(str(folder))} --repo-type dataset")


def remarks(one: "ExportedTask") -> list[str]:
    silent = [split.hub_name for split in one.splits if split.unlabelled]
    told = [f"{', '.join(silent)} without answers, as published."] if silent else []
    return [*told, *([f"{', '.join(one.absent)} is missing and was left out."] if one.absent else [])]


def _document(exported: "ExportedSuite", folder: Path) -> dict[str, object]:
    tasks = [
        {
            "task": one.task.name,
            "license": one.task.license,
            "splits": one.splits,
            "missing": one.absent,
            "columns": [c.name for c in one.columns],
        }
        for one in exported.tasks
    ]
    return {"suite": exported.suite.name, "folder": str(folder), "format": exported.format, "tasks": tasks, "files": exported.files}


def _watch(task: Task) -> None:
    if sys.stderr.isatty():
        print(f"exporting {task.path} …", file=sys.stderr)
