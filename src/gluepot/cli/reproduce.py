"""Recompute a suite's published tables and mark every cell: = same, ~ last digit, ≠ different, ? not reproducible."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.output import console, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import GluepotError
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.runs.reproduction import ReproducedCell


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE")
    parser.add_argument(
        "path",
        type=Path,
        nargs="?",
        metavar="PATH",
        help="published predictions: submissions, or a folder of them; or records of another harness",
    )
    parser.add_argument("--all", action="store_true", help="also list the cells that cannot be recomputed")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.runs.reproduction import reproduce
    from gluepot.tasks.published_results import load_errata

    suite = load_suite(options.suite)
    cells = reproduce(suite, options.path)
    if not cells:
        raise GluepotError(f"{suite.name}: no published results are declared.")
    unexplained = [cell for cell in cells if cell.mark == "≠" and not cell.note]
    notes = load_errata(suite).notes
    if options.json:
        print_json({"suite": suite.name, "cells": cells, "notes": notes, "counts": Counter(cell.mark for cell in cells)})
    else:
        print_cells(cells, notes, every=options.all)
    return 1 if unexplained else 0


def print_cells(cells: "list[ReproducedCell]", notes: list[str], *, every: bool) -> None:
    screen = console()
    for source in dict.fromkeys(cell.source for cell in cells):
        rows = [cell for cell in cells if cell.source == source]
        shown = rows if every else [cell for cell in rows if cell.mark != "?"]
        counts = Counter(cell.mark for cell in rows)
        screen.print(f"\n[bold]{source}[/]  " + ", ".join(f"{n} {mark}" for mark, n in sorted(counts.items())))
        if shown:
            _table(shown).print(screen)
        for note in dict.fromkeys(cell.note for cell in rows if cell.note and cell.mark != "?"):
            screen.print(f"  {note}", markup=False)
        for reason, count in Counter(cell.note for cell in rows if cell.mark == "?").items():
            screen.print(f"  ? {pluralize(count, 'cell')}: {reason}", markup=False)
    for note in notes:
        screen.print(f"\n{note}", markup=False)
    screen.print(f"\n{closing(cells)}")


def closing(cells: "list[ReproducedCell]") -> str:
    """Return the closing line: how many cells were recomputed, how many differences are explained, and how many cells cannot be."""
    total = Counter(cell.mark for cell in cells)
    told = sum(1 for cell in cells if cell.mark in "~≠" and cell.note)
    done = f"{len(cells) - total['?']} of {pluralize(len(cells), 'cell')} recomputed"
    same = f"{total['=']} equal, {total['~']} different in the last digit"
    return f"{done}: {same}, {total['≠']} different, {told} of them explained. {total['?']} cannot be recomputed."


def _table(cells: "list[ReproducedCell]") -> Table:
    names, figures = ("model", "task", "metric"), ("published", "ours")
    columns = [*map(TableColumn, names), *(TableColumn(name, figures=True) for name in figures), TableColumn(""), TableColumn("from")]
    table = Table(*columns, keys=len(columns) - 1)
    previous = ""
    for cell in cells:
        task = f"{cell.task} {cell.slice}" if cell.slice else cell.task
        ours = "–" if cell.ours is None else f"{cell.ours:.4f}"
        model = cell.model if cell.model != previous else ""
        previous = cell.model
        metric = f"{cell.metric} ±" if cell.statistic == "half-width" else cell.metric
        table.add(model, task, metric, f"{cell.theirs:g}", ours, cell.mark, cell.how)
    return table
