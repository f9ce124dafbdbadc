"""Agreement of annotators: mean pairwise correlations from judgments, or each annotator's consistency from control pairs."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from gluepot.cli.output import console, number, plain, print_json
from gluepot.cli.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "places",
        nargs="+",
        metavar="FILE|SUITE/TASK",
        help="tables with a column an annotator (read as one set), pairs judged twice (pair, annotator, first, second), or a task",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    report = measure(options.places)
    if options.json:
        print_json(report)
    else:
        print_report(report)
    return 0


def measure(places: list[str]) -> dict[str, Any]:
    """The figures for some files taken together, or for each named task."""
    from gluepot.data.judgments import control_pairs, ratings, read_tables, task_judgments

    files = [Path(place) for place in places]
    if all(path.is_file() for path in files):
        rows = read_tables(files)
        controls = control_pairs(rows)
        name = ", ".join(path.name for path in files)
        return {"sets": [] if controls else [_agreement(name, ratings(rows, name))], "consistency": _consistency(controls)}
    tasks = [task for place in places for task in _tasks(place)]
    return {"sets": [_agreement(task.path, task_judgments(task)) for task in tasks], "consistency": []}


def _tasks(place: str) -> list[Any]:
    from gluepot.tasks.declarations import find, suite_names

    if place.partition("/")[0] not in suite_names():
        raise WrongUse(f"{place}: neither a file nor a declared suite or task.")
    suite, task = find(place)
    return [task] if task else [t for t in suite.tasks.values() if t.kind == "word-pair"]


def _agreement(name: str, judgments: Any) -> dict[str, Any]:
    from gluepot.statistics.agreement import krippendorff_interval, pairwise_agreement

    items, annotators = judgments.shape
    return {
        "name": name,
        "items": items,
        "annotators": annotators,
        "spearman": pairwise_agreement(judgments, "spearman"),
        "pearson": pairwise_agreement(judgments, "pearson"),
        "alpha-interval": krippendorff_interval(judgments),
    }


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
    screen = console()
    for one in report["sets"]:
        screen.print(f"[bold]{plain(one['name'])}[/]  {pluralize(one['items'], 'item')}, {pluralize(one['annotators'], 'annotator')}")
        table = Table(TableColumn("measure"), TableColumn("value", figures=True), keys=2, header=False)
        table.add("mean pairwise Spearman", number(one["spearman"], 4))
        table.add("mean pairwise Pearson", number(one["pearson"], 4))
        table.add("Krippendorff's α, interval", number(one["alpha-interval"], 4))
        table.print(screen)
    if report["consistency"]:
        figures = (TableColumn(name, figures=True) for name in ("pairs", "disagreements", "hard (> 2)", "α"))
        table = Table(TableColumn("annotator"), *figures)
        for row in report["consistency"]:
            share = [f"{row[k]} ({row[k] / row['pairs']:.0%})" for k in ("disagreements", "hard")]
            table.add(row["annotator"], str(row["pairs"]), *share, number(row["alpha-interval"], 2))
        table.print(screen)
