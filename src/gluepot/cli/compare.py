"""Compare systems on the items that both answered: difference, paired interval, corrected p-value, and a conclusion in words."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.numbers import bounded_count
from gluepot.cli.console.output import console, number, plain, print_json, print_notices, span
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.runs.comparison.comparison import TaskComparison

SMALLEST = 0.001


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="+", metavar="A B", help="two or more runs, submission folders or zip archives")
    parser.add_argument("--suite", help="the suite, for submissions (runs contain it)")
    parser.add_argument("--split", help="compare this split only")
    parser.add_argument("--resamples", type=bounded_count("resamples"), default=1000, help="bootstrap resamples (default 1000)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.runs.comparison.comparison import compare_paths
    from gluepot.runs.scores.rescoring import path_notices

    compared = compare_paths(options.paths, load_suite(options.suite) if options.suite else None, options.split, options.resamples)
    print_notices(notice for path in options.paths for notice in path_notices(path))
    if options.json:
        print_json(compared)
    else:
        print_comparisons(compared.comparisons)
        for skip in compared.skips:
            console().print(str(skip), markup=False)
    return 0


def print_comparisons(rows: "list[TaskComparison]") -> None:
    screen = console()
    for a, b in dict.fromkeys((row.a, row.b) for row in rows):
        mine = [row for row in rows if (row.a, row.b) == (a, b)]
        screen.print(f"\nA: [bold]{plain(a)}[/]\nB: [bold]{plain(b)}[/]\n")
        _table(mine).print(screen)
        for line in summarise(mine):
            screen.print(line, markup=False)


def _table(rows: "list[TaskComparison]") -> Table:
    before, after = ("A", "B", "A − B", "95 % interval", "p"), ("n", "A better", "B better", "detectable")
    figures = [[TableColumn(name, figures=True) for name in names] for names in (before, after)]
    table = Table(TableColumn("task"), TableColumn("split"), *figures[0], TableColumn("better"), *figures[1], keys=2)
    for row in rows:
        table.add(
            row.task,
            row.split,
            number(row.value_a),
            number(row.value_b),
            "–" if row.difference is None else f"{row.difference:+.3f}",
            span(row.low, row.high),
            _chance(row),
            row.winner.upper(),
            f"{row.n:,}",
            "–" if row.better is None else f"{row.better:,}",
            "–" if row.worse is None else f"{row.worse:,}",
            number(row.detectable),
        )
    return table


def _chance(row: "TaskComparison") -> str:
    """Format the corrected p-value: a bound is marked, and a small value is never shown as zero."""
    if row.p_corrected is None:
        return "–"
    if row.p_corrected < SMALLEST:
        return f"< {SMALLEST}"
    return f"{'≤ ' if row.p_is_bound else ''}{row.p_corrected:.3f}"


def summarise(rows: "list[TaskComparison]") -> list[str]:
    """Summarise the table: which system is better on which tasks, and the tasks without a difference, decision or comparison."""
    lines = []
    for verdict in dict.fromkeys(row.verdict for row in rows if row.winner):
        lines.append(f"{verdict} on {_tasks(row for row in rows if row.verdict == verdict)}.")
    tested = [row for row in rows if row.p is not None and not row.winner]
    undecided = [row for row in tested if row.p_is_bound and row.difference]
    if alike := [row for row in tested if row not in undecided]:
        lines.append(f"Not distinguishable on {_tasks(alike)}.")
    lines += [f"Undecided on {row.task}: {row.verdict.partition(': ')[2]}." for row in undecided]
    lines += [f"Not compared on {row.task}: {row.reason}." for row in rows if row.p is None]
    lines.append(
        "p is corrected for all comparisons (Holm); a true difference as large as 'detectable' would be found four times out of five."
    )
    return lines


def _tasks(rows: "Iterable[TaskComparison]") -> str:
    return ", ".join(row.task for row in rows)
