"""Compute inter-annotator agreement: all measures for any table of votes, correlations, each annotator's consistency on control pairs."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from gluepot.cli.console.output import console, number, plain, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "places",
        nargs="+",
        metavar="FILE|SUITE/TASK",
        help="vote files of any known format (read as one set), control pairs (pair, annotator, first, second), or a task",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    report = measure(options.places)
    if options.json:
        print_json(report)
    else:
        print_report(report)
    return 0


def measure(places: list[str]) -> dict[str, Any]:
    """Compute the figures for some files taken together, or for each named task."""
    from gluepot.data.judgments import control_pairs, task_judgments
    from gluepot.people.agreeing import agreement_of_files, agreement_of_ratings
    from gluepot.people.formats.files import read_rows

    files = [Path(place) for place in places]
    if all(path.is_file() for path in files):
        controls = control_pairs(record for path in files for rows in read_rows(path) for record in rows.records)
        return {"sets": [] if controls else [agreement_of_files(files)], "consistency": _consistency(controls)}
    tasks = [task for place in places for task in _tasks(place)]
    return {"sets": [agreement_of_ratings(task.path, task_judgments(task)) for task in tasks], "consistency": []}


def _tasks(place: str) -> list[Any]:
    from gluepot.tasks.declarations import find

    try:
        suite, task = find(place)
    except WrongUse as error:
        raise WrongUse(f"{place}: not a file, and {error}") from error
    return [task] if task else [t for t in suite.tasks.values() if t.kind == "word-pair"]


def _consistency(pairs: list[Any]) -> list[dict[str, Any]]:
    from gluepot.statistics.agreement import consistency

    rows = []
    for annotator in dict.fromkeys(pair.annotator for pair in pairs):
        mine = [pair for pair in pairs if pair.annotator == annotator]
        judged = consistency([p.first for p in mine], [p.second for p in mine])
        rows.append(
            {
                "annotator": annotator,
                "pairs": judged.pairs,
                "disagreements": judged.disagreements,
                "hard": judged.hard,
                "alpha-interval": judged.alpha,
            }
        )
    return rows


def print_report(report: dict[str, Any]) -> None:
    from gluepot.cli.human import print_agreement

    screen = console()
    for one in report["sets"]:
        taken = f"; format: {one.format}" if one.format else ""
        counts = f"{pluralize(one.items, 'item')}, {pluralize(one.votes, 'vote')}, {pluralize(one.annotators, 'annotator')}{taken}"
        screen.print(f"[bold]{plain(one.name)}[/]  {plain(counts)}")
        if one.spearman is not None or one.pearson is not None:
            table = Table(TableColumn("measure"), TableColumn("value", figures=True), keys=2, header=False)
            table.add("mean pairwise Spearman", number(one.spearman, 4))
            table.add("mean pairwise Pearson", number(one.pearson, 4))
            table.print(screen)
        if one.left_out:
            screen.print(
                f"{pluralize(one.pairs, 'pair')} of annotators correlated; {one.left_out:,} left out, with too few items in common",
                style="dim",
            )
        print_agreement(screen, one.agreement)
    if report["consistency"]:
        figures = (TableColumn(name, figures=True) for name in ("pairs", "disagreements", "hard (> 2)", "α"))
        table = Table(TableColumn("annotator"), *figures)
        for row in report["consistency"]:
            share = [f"{row[k]} ({row[k] / row['pairs']:.0%})" for k in ("disagreements", "hard")]
            table.add(row["annotator"], str(row["pairs"]), *share, number(row["alpha-interval"], 2))
        table.print(screen)
