"""Compute the human score of a task from votes: matching of items, the score with its intervals, agreement, raters."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from gluepot.cli.console.numbers import bounded_count
from gluepot.cli.console.output import console, number, plain, print_json, print_notices, span
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from rich.console import Console

    from gluepot.people.human import HumanReport
    from gluepot.records import Task
    from gluepot.statistics.agreement import AgreementValue

SHOWN = 8
"""Maximum number of raters and items in a table."""
WORDS = {
    "alpha-nominal": "α, nominal",
    "alpha-ordinal": "α, ordinal",
    "alpha-interval": "α, interval",
    "alpha-ratio": "α, ratio",
    "fleiss-pooled": "Fleiss’ κ, pooled shares",
    "fleiss-mean": "Fleiss’ κ, mean shares",
    "cohen": "Cohen’s κ, mean of pairs",
    "ac1": "Gwet’s AC1",
    "percent-items": "equal pairs, mean of items",
    "percent-pairs": "equal pairs, all pairs",
}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("task", metavar="SUITE/TASK")
    parser.add_argument("votes", nargs="+", type=Path, metavar="VOTES", help="vote files; the format is detected automatically")
    parser.add_argument(
        "--ties",
        choices=("first", "drop", "share"),
        default="first",
        help="how to resolve ties: take the first answer, drop the item, or count each answer in part",
    )
    parser.add_argument(
        "--by",
        choices=("majority", "dawid-skene", "mace"),
        default="majority",
        help="how to aggregate votes (default majority)",
    )
    parser.add_argument("--split", help="the split of the items (default: the one with most matches)")
    parser.add_argument("--answer", metavar="COLUMN", help="the column or question with the answers, if there are several")
    parser.add_argument("--out", type=Path, metavar="DIR", help="run folder (default runs/human-SUITE-TASK)")
    parser.add_argument(
        "--drop", type=Path, metavar="FILE", help="write the split to FILE without items whose votes contradict their label"
    )
    parser.add_argument("--resamples", type=bounded_count("resamples"), default=1000, help="bootstrap resamples (default 1000)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from msgspec.structs import replace

    from gluepot.people.human import human_report
    from gluepot.people.human_run import write_human_run
    from gluepot.runs.evaluation import default_folder

    suite, task = find(options.task)
    if task is None:
        raise WrongUse(
            f"{options.task} is a suite; votes are for one task: {', '.join(f'{suite.name}/{name}' for name in list(suite.tasks)[:5])} …"
        )
    report, human = human_report(
        suite,
        task,
        options.votes,
        split=options.split,
        by=options.by,
        ties=options.ties,
        answer=options.answer,
        resamples=options.resamples,
    )
    folder = write_human_run(options.out or default_folder("human", f"{suite.name}-{task.name}"), report, human)
    report = replace(report, run=str(folder.path)) if folder else report
    if options.drop:
        report = replace(report, notices=[*report.notices, _drop(task, report, options.drop)])
    if options.json:
        print_json(report)
    else:
        print_report(report)
    return 0


def _drop(task: "Task", report: "HumanReport", path: Path) -> str:
    from gluepot.people.dropping import write_remaining_items

    left = write_remaining_items(task, report.split, {one.item for one in report.against_label}, path)
    kept, dropped = pluralize(left, "row"), pluralize(len(report.against_label), "item")
    return f"{path}: {kept}, {dropped} dropped. To use it instead of the split, set rows.{report.split} = {left} in task.toml."


def print_report(report: "HumanReport") -> None:
    screen = console()
    screen.print(
        f"[bold]{plain(report.task)}[/] {report.split}  {pluralize(report.items, 'item')}, {pluralize(report.votes, 'vote')}, "
        f"{pluralize(report.raters, 'rater')}; format: {plain(report.format)}\n"
    )
    _print_join(screen, report)
    _print_scores(screen, report)
    print_agreement(screen, report.agreement)
    _print_against(screen, report)
    _print_raters(screen, report)
    print_notices([*report.notices, *([f"run: {report.run}"] if report.run is not UNSET else [])])


def _print_join(screen: "Console", report: "HumanReport") -> None:
    join = report.join
    screen.print(
        f"Matched by {plain(join.by)}: {join.items_found:,} of {pluralize(join.items, 'item')} found, "
        f"{join.gold_rows_found:,} of {pluralize(join.gold_rows, 'row')} ({join.gold_rows_without_votes:,} without votes); "
        f"{pluralize(join.votes_without_gold, 'vote')} without a row.",
        markup=False,
    )
    for reason, count in report.left_out.items():
        screen.print(f"Left out: {count:,} {reason}.", markup=False)
    counts = ", ".join(f"{label} {count:,}" for label, count in report.labels.items())
    tied = f"{pluralize(report.ties, 'tie')} ({report.tie_rule})"
    screen.print(f"By {report.by}: {counts or 'one answer per item'}; {tied}; {report.unanimous:,} unanimous.\n", markup=False)


def _print_scores(screen: "Console", report: "HumanReport") -> None:
    figures = (TableColumn(name, figures=True) for name in ("value", "items", "items + raters", "n"))
    told = [score.reason for score in report.scores if score.reason is not UNSET]
    table = Table(TableColumn("human score"), *figures, keys=4)
    for score in report.scores:
        cells = number(score.value), span(score.low, score.high), span(score.low_raters, score.high_raters), f"{score.n:,}"
        table.add(score.metric, *cells, bold=score.primary)
    table.print(screen)
    for reason in dict.fromkeys(told):
        screen.print(f"No score: {reason}.", markup=False)
    screen.print()


def print_agreement(screen: "Console", measures: "list[AgreementValue]") -> None:
    """Print the measures with both intervals, and what they are based on."""
    figures = (TableColumn(name, figures=True) for name in ("value", "items", "items + raters"))
    table = Table(TableColumn("agreement"), *figures, keys=3)
    for one in measures:
        table.add(WORDS[one.measure], number(one.value, 4), span(one.low, one.high), span(one.low_raters, one.high_raters))
    table.print(screen)
    if measures:
        screen.print(
            f"on {pluralize(measures[0].units, 'item')} with two votes or more, {pluralize(measures[0].votes, 'vote')}", style="dim"
        )
    for one in measures:
        if one.reason is not UNSET:
            screen.print(f"{WORDS[one.measure]}: {one.reason}", style="dim", markup=False)
        elif one.left_out:
            screen.print(
                f"{WORDS[one.measure]}: {one.pairs:,}; {one.left_out:,} left out, with too few items in common", style="dim", markup=False
            )
    screen.print()


def _print_against(screen: "Console", report: "HumanReport") -> None:
    """Print the items whose votes contradict their label."""
    rows = report.against_label
    if not rows:
        return
    screen.print(f"{pluralize(len(rows), 'item')} whose votes contradict the label:", markup=False)
    table = Table(TableColumn("item"), TableColumn("label"), TableColumn("votes", prose=True), keys=1)
    for row in rows[:SHOWN]:
        table.add(row.item, row.gold or "", ", ".join(f"{value} × {count}" for value, count in row.votes.items()))
    table.print(screen)
    if len(rows) > SHOWN:
        screen.print(f"… {len(rows) - SHOWN:,} more; --json has all, --drop FILE writes the split without them.", style="dim")
    screen.print()


def _print_raters(screen: "Console", report: "HumanReport") -> None:
    timed = any(row.seconds is not None for row in report.rater_table)
    names = ("votes", "agrees", "with gold", *["seconds"] * timed)
    table = Table(TableColumn("rater"), *(TableColumn(name, figures=True) for name in names), TableColumn("to check", prose=True), keys=2)
    for row in report.rater_table[:SHOWN]:
        seconds = [number(row.seconds, 0)] * timed
        table.add(row.rater, f"{row.votes:,}", number(row.agreement, 2), number(row.with_gold, 2), *seconds, row.look)
    table.print(screen)
    if len(report.rater_table) > SHOWN:
        screen.print(
            f"… {len(report.rater_table) - SHOWN:,} more raters; --json has all, and the items on which they disagree.", style="dim"
        )
