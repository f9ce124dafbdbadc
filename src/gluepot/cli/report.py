"""Write one self-contained page on one or more runs: scores with intervals, errors, diagnostics, calibration, cost."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.output import console, number, print_json, print_notices
from gluepot.cli.console.tables import LEAST_NAME, Table, TableColumn, min_distinct_length
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.reporting import Report


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="+", metavar="RUN", help="runs, submission folders or zip archives")
    parser.add_argument("-o", "--out", type=Path, default=Path("report.html"), metavar="FILE", help="output file (default report.html)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the scores as Markdown tables")
    parser.add_argument("--latex", type=Path, metavar="FILE", help="also write the scores as LaTeX tables")
    parser.add_argument(
        "--measurements",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="raw records of `measure`, to plot quality, speed and memory",
    )
    parser.add_argument(
        "--tasks", default="", metavar="NAMES", help="measured tasks to plot, separated by commas (default: their mean, and each)"
    )
    parser.add_argument("--suite", help="the suite, for submissions (runs contain it)")
    parser.add_argument("--split", help="report on this split only")
    parser.add_argument("--json", action="store_true", help="print the content of the page as one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.files import write_atomically
    from gluepot.reporting import make_report
    from gluepot.reporting.html.page import render_page
    from gluepot.reporting.tables import latex_tables, markdown_tables

    tasks = [name.strip() for name in options.tasks.split(",") if name.strip()]
    report = make_report(options.paths, load_suite(options.suite) if options.suite else None, options.split, options.measurements, tasks)
    print_notices(report.notices)
    wanted = [(options.out, render_page), (options.markdown, markdown_tables), (options.latex, latex_tables)]
    for path, render in wanted:
        if path is not None:
            write_atomically(path, render(report).encode())
            print(f"report: {path}", file=sys.stderr)
    if options.json:
        print_json(report)
    else:
        print_scores(report)
    return 0


def print_scores(report: "Report") -> None:
    """Print the ranking scores, one column per run."""
    screen = console()
    for section in report.sections:
        names = [report.systems[system].name for system in section.systems]
        alike = min_distinct_length(names) > LEAST_NAME
        heads = [f"run {position}" for position in range(1, len(names) + 1)] if alike else names
        least = min_distinct_length(heads)
        table = Table(TableColumn("task"), TableColumn("metric"), *(TableColumn(name, figures=True, least=least) for name in heads), keys=2)
        for row in section.rows:
            if row.primary:
                values = [f"{number(cell.value)}{' *' if cell.note else ''}" if cell else "–" for cell in row.cells]
                table.add(row.task, row.metric, *values)
        screen.print(f"\n[bold]{section.title}[/] {section.version}, {section.split}\n")
        for head, name in zip(heads, names, strict=True):
            if alike:
                screen.print(f"{head}: {name}", markup=False)
        table.print(screen)
        for row in section.rows:
            for system, cell in zip(section.systems, row.cells, strict=True):
                if row.primary and cell and cell.note:
                    screen.print(f"* {row.task}, {report.systems[system].name}: {cell.note}", markup=False)
