"""List the declared suites and their tasks."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from gluepot.cli.console.output import known_width, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import load_suites


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    suites = load_suites()
    if options.json:
        print_json({"suites": [describe_suite(suite) for suite in suites]})
        return 0
    for suite in suites:
        print(f"{suite.name} {suite.version} ({suite.language}): {suite.title}, {pluralize(len(suite.tasks), 'task')}")
        table = Table(TableColumn("task"), TableColumn("kind"), TableColumn("metrics", prose=True), header=False, indent=2)
        for task in suite.tasks.values():
            table.add(task.name, task.kind, ", ".join(task.metrics) + ("" if task.official else " (unofficial)"))
        for line, _ in table.lines(table.widths(known_width(sys.stdout))):
            print(line)
    return 0


def describe_suite(suite: Suite) -> dict[str, Any]:
    return {
        "name": suite.name,
        "version": suite.version,
        "language": suite.language,
        "title": suite.title,
        "license": suite.license,
        "tasks": [describe_task(task) for task in suite.tasks.values()],
    }


def describe_task(task: Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "kind": task.kind,
        "metrics": task.metrics,
        "language": task.language,
        "title": task.title,
        "labels": task.labels,
        "splits": task.data.rows,
        "license": task.license,
        "official": task.official,
        "trained_on": task.trained_on,
    }
