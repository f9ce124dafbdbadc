"""Download a suite's official files, from its archive or from the Hub, to $GLUEPOT_DATA."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gluepot.cli.console.output import console, print_json
from gluepot.data.folders import bundles_data
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from gluepot.data.fetching.reports import FetchReport

    Watch = Callable[[str, int, int | None], None]


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="SUITE[/TASK]")
    parser.add_argument("--source", choices=["hub", "archive"], default="archive", help="the source, if a task has both (default: archive)")
    parser.add_argument("--force", action="store_true", help="accept changed files and replace local ones that differ")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.data.fetching.fetch import fetch

    suite, task = find(options.path)
    with progress() as watch:
        report = fetch(suite, task, prefer=options.source, force=options.force, watch=watch, say=print_progress)
    if options.json:
        print_json({"suite": report.suite, "files": report.files, "missing": report.missing})
    else:
        show(report)
    if not report.failures and all(bundles_data(one) for one in ([task] if task else suite.tasks.values())):
        kept = f"{suite.name} is bundled with its data: nothing to fetch."
        print(kept, file=sys.stderr if options.json else sys.stdout)
    for failure in report.failures:
        print_progress(str(failure))
    return report.exit_code


def print_progress(text: str) -> None:
    print(f"gluepot: {text}", file=sys.stderr)


def show(report: "FetchReport") -> None:
    """Print one line per file, and what is still missing."""
    from rich.filesize import decimal

    from gluepot.data.fetching.reports import some

    for file in report.files:
        print(f"{file.status:<12}  {decimal(file.bytes):>9}  {file.path}")
    if report.missing:
        print(f"still missing: {some(report.missing, most=10)}")


@contextmanager
def progress() -> "Iterator[Watch]":
    """Show one bar per file on a terminal, and one line per file elsewhere."""
    if not sys.stderr.isatty():
        yield lines()
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True)) as screen:
        bars = {}

        def watch(name: str, done: int, total: int | None) -> None:
            if name not in bars:
                bars[name] = screen.add_task(name, total=total)
            screen.update(bars[name], completed=done, total=total)

        yield watch


def lines() -> "Watch":
    """Print each file once, when it is complete."""
    told = set()

    def watch(name: str, done: int, total: int | None) -> None:
        if done == total and name not in told:
            told.add(name)
            print(f"{name}: {pluralize(done, 'byte')}", file=sys.stderr)

    return watch
