"""Output of `data check --artefacts`: how well single features predict the answers, and what splits have in common."""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gluepot.cli.console.output import console, number, plain, print_json, span
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task

if TYPE_CHECKING:
    from gluepot.build.artefacts.tasks import TaskArtefacts


def report_artefacts(options: Namespace, suite: Suite, tasks: Sequence[Task], progress: Callable[[Task], None]) -> int:
    """Report on some tasks in the terminal or as JSON, and as a page if `--out` is given."""
    from gluepot.build.artefacts.tasks import suite_artefacts

    found = suite_artefacts(tasks, progress)
    if options.out is not None:
        from gluepot.files import write_atomically
        from gluepot.reporting.artefacts import render_artefacts

        write_atomically(options.out, render_artefacts(suite.title, found).encode())
        print(f"artefacts: {options.out}", file=sys.stderr)
    if options.json:
        print_json({"suite": suite.name, "tasks": found})
    else:
        for one in found:
            print_task(one)
        told = sum(artefact.tells for one in found for artefact in one.artefacts)
        print(f"{pluralize(told, 'rule')} better than chance in {pluralize(len(found), 'task')}.")
    return 0


def print_task(one: "TaskArtefacts") -> None:
    from rich.table import Table

    screen = console()
    screen.print(f"\n[bold]{plain(one.task)}[/]")
    for split, labels in one.balance.items():
        few = dict(list(labels.items())[:6])
        screen.print(
            plain(f"{split}: {', '.join(f'{label} {count:,}' for label, count in few.items())}{' …' if len(labels) > len(few) else ''}")
        )
    if one.artefacts:
        table = Table("rule", "accuracy", "interval", "chance", "", box=None, pad_edge=False)
        for artefact in one.artefacts:
            ends = span(artefact.low, artefact.high)
            table.add_row(artefact.rule, number(artefact.accuracy), ends, number(artefact.chance), "tells" if artefact.tells else "")
        screen.print(table)
    for split, count in one.duplicates.items():
        screen.print(plain(f"{split}: {pluralize(count, 'item')} repeated"))
    for leak in one.leaks:
        nearly = f", {leak.near:,} nearly" if leak.near > leak.copies else ""
        screen.print(
            plain(f"{leak.split}: {leak.copies:,} of {pluralize(leak.items, 'item')} with {article(leak.what)} of {leak.known}{nearly}")
        )


def article(what: str) -> str:
    """Return the noun with its indefinite article.

    >>> article("text"), article("item")
    ('a text', 'an item')
    """
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
