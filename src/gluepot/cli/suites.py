"""List the declared suites and their tasks."""

from argparse import ArgumentParser, Namespace
from typing import Any

from gluepot.cli.output import print_json
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import load_suites


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    suites = load_suites()
    if options.json:
        print_json({"suites": [describe_suite(suite) for suite in suites]})
        return 0
    for suite in suites:
        print(f"{suite.name} {suite.version} ({suite.language}): {suite.title}, {len(suite.tasks)} tasks")
        width = max(map(len, suite.tasks))
        for task in suite.tasks.values():
            mark = "" if task.official else "  (unofficial)"
            print(f"  {task.name:<{width}}  {task.kind:<19}  {', '.join(task.metrics)}{mark}")
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
