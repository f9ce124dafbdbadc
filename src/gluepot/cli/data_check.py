"""Look for errors in a suite's files: one finding per line, exit code 1 if there are any that are not accepted."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.output import print_json
from gluepot.data.folders import available_splits, data_folder
from gluepot.errors import DataMissing, WrongUse
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from gluepot.data.checks import CheckedTask, Finding


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="SUITE[/TASK]")
    parser.add_argument("--notes", action="store_true", help="also print notes, which are not errors")
    parser.add_argument("--accepted", action="store_true", help="also print accepted findings, with the reason")
    parser.add_argument(
        "--record",
        action="store_true",
        help="accept the local files: later checks compare with their checksums",
    )
    parser.add_argument(
        "--artefacts",
        action="store_true",
        help="report instead how well single features predict the answers, and what splits have in common",
    )
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="with --artefacts: also write the report as a page")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.data.checks import check_suite

    suite, task = find(options.path)
    wanted = [task] if task else list(suite.tasks.values())
    here = [task for task in wanted if available_splits(task)]
    if not here:
        raise DataMissing(_nothing(suite, task))
    if options.artefacts:
        from gluepot.cli.artefacts import report_artefacts

        return report_artefacts(options, suite, here, _progress())
    if options.out is not None:
        raise WrongUse("--out is for the artefact report: add --artefacts.")
    missing = [task.name for task in wanted if task not in here]
    if options.record:
        record(here)
    checked = check_suite(suite, wanted, _progress())
    findings = [finding for one in checked for finding in one.findings]
    if options.json:
        print_json({"suite": suite.name, "findings": findings, "tasks": [_described(one) for one in checked], "missing": missing})
    else:
        print_findings(findings, notes=options.notes, accepted=options.accepted)
        print(closing(findings, len(here), len(missing)) + remedy(suite, findings))
    return int(any(finding.counts for finding in findings))


def record(tasks: list[Task]) -> None:
    """Accept the files of some tasks, and print the names of those whose checksums are new."""
    from gluepot.data.checks.files.checksums import record_checksums
    from gluepot.data.fetching.locking import readable_disk_errors

    with readable_disk_errors():
        new = record_checksums(tasks)
    for name in new:
        print(f"recorded {name}", file=sys.stderr)
    print(f"{pluralize(len(new), 'checksum')} recorded.", file=sys.stderr)


def _nothing(suite: Suite, task: Task | None) -> str:
    path, folder = task.path if task else suite.name, data_folder(Path(suite.folder))
    remedy = f"Get it with `gluepot data fetch {suite.name}`, or point GLUEPOT_DATA at a folder that has it."
    return f"{path}: there is no data in {folder}. {remedy}"


def remedy(suite: Suite, findings: list["Finding"]) -> str:
    """Suggest how to get missing files; empty if none is missing."""
    gone = any(finding.counts and finding.code.endswith("-absent") for finding in findings)
    return f" Get the missing files with `gluepot data fetch {suite.name}`." if gone else ""


def _described(one: "CheckedTask") -> dict[str, object]:
    return {"task": one.task, "splits": one.splits, "findings": sum(finding.counts for finding in one.findings)}


def _progress() -> Callable[[Task], None]:
    """Return a function that names the task being read, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda task: print(f"checking {task.path} …", file=sys.stderr)


def print_findings(findings: list["Finding"], *, notes: bool, accepted: bool) -> None:
    for finding in findings:
        if finding.counts:
            print(finding)
        elif finding.accepted is not None and accepted:
            print(f"{finding} accepted: {finding.accepted}")
        elif finding.severity == "note" and notes:
            print(f"{finding} note")


def closing(findings: list["Finding"], here: int, missing: int) -> str:
    """Return the closing line.

    >>> closing([], 15, 1)
    '0 findings, 0 accepted, 0 notes in 15 tasks; 1 task missing.'
    """

    notes = sum(finding.severity == "note" for finding in findings)
    accepted = sum(finding.accepted is not None for finding in findings)
    counted = pluralize(sum(finding.counts for finding in findings), "finding")
    absent = f"; {pluralize(missing, 'task')} missing" if missing else ""
    return f"{counted}, {accepted} accepted, {pluralize(notes, 'note')} in {pluralize(here, 'task')}{absent}."
