"""Score predictions in a suite's official format: a folder, a zip archive or a single file."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from gluepot.cli.console.numbers import bounded_count
from gluepot.cli.console.output import console, number, plain, print_json, share, span
from gluepot.cli.console.problems import listed, total
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.cli.console.threads import use_one_thread
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from rich.console import Console

    from gluepot.records import Result, Score


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE[/TASK]")
    parser.add_argument("path", type=Path, metavar="PATH", help="predictions: a folder, a zip archive or a single file")
    parser.add_argument("--split", help="score this split only; also the split of files whose names contain none")
    parser.add_argument(
        "--invalid",
        choices=("refuse", "wrong"),
        default="refuse",
        help="an answer outside the label set is a problem (default), or is counted as wrong; numbers are then clipped to the scale; "
        "the result reports how many of each",
    )
    parser.add_argument("--resamples", type=bounded_count("resamples"), default=1000, help="bootstrap resamples per score (default 1000)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    import gc

    use_one_thread()
    from gluepot.runs.scores.submitted import score_path

    gc.disable()  # a short process without cycles: garbage collection took 0.2 s of 1.5
    suite, task = find(options.suite)
    wishes = {"split": options.split, "invalid": options.invalid, "resamples": options.resamples}
    result = score_path(suite, options.path, task=task, fork=True, **wishes)
    if options.json:
        print_json(result)
    else:
        print_result(result)
    return 1 if result.problems else 0


def print_result(result: "Result") -> None:
    screen = console()
    screen.print(f"[bold]{plain(result.model)}[/] on {result.suite} {result.version}\n")
    if any(score.value is not None or score.reason for score in result.scores):
        _print_scores(screen, [score for score in result.scores if not score.slice])
    for mean in result.overall:
        value = f"{number(mean.value)}  ({span(mean.low, mean.high)})" if mean.value is not None else f"– ({plain(mean.reason)})"
        screen.print(f"[bold]overall, {mean.split}[/]  {value}")
        if mean.note:
            screen.print(f"  {mean.note}", markup=False)
    _print_slices(screen, [score for score in result.scores if score.slice])
    _print_stated(screen, result)
    for notice in result.notices:
        screen.print(f"note: {notice}", style="dim", markup=False)
    if result.problems:
        print_problems(result)


FIGURES = tuple(TableColumn(name, figures=True) for name in ("value", "95 % interval", "n"))
COVERAGE = TableColumn("coverage", figures=True)


def _figures(score: "Score", *, partial: bool) -> list[str]:
    return [number(score.value), span(score.low, score.high), f"{score.n:,}", *[share(score.coverage)] * partial]


def _print_scores(screen: "Console", scores: "list[Score]") -> None:
    """Print the table; remarks that do not fit in it follow below."""
    if _score_table(scores).print(screen, told_below="remarks"):
        return
    places: dict[str, list[str]] = {}
    for score in scores:
        for remark in remarks(score, brief=False):
            places.setdefault(remark, []).append(f"{score.task} {score.split}")
    for remark, found in places.items():
        screen.print(f"{', '.join(dict.fromkeys(found))}: {remark}", markup=False)


def _score_table(scores: "list[Score]") -> Table:
    partial = any(score.coverage is not UNSET for score in scores)
    firsts = [n == 0 or (score.task, score.split) != (scores[n - 1].task, scores[n - 1].split) for n, score in enumerate(scores)]
    told = ["; ".join(remarks(score, brief=not first)) for score, first in zip(scores, firsts, strict=True)]
    remark = [TableColumn("remarks", prose=True)] * any(told)
    table = Table(TableColumn("task"), TableColumn("split"), TableColumn("metric"), *FIGURES, *[COVERAGE] * partial, *remark, keys=4)
    for score, first, words in zip(scores, firsts, told, strict=True):
        place = (score.task, score.split) if first else ("", "")
        table.add(*place, score.metric, *_figures(score, partial=partial), *[words] * len(remark), bold=score.primary)
    return table


def remarks(score: "Score", *, brief: bool) -> list[str]:
    """Return the remarks on a score: why it is missing, and which answers it excludes; the long reason once per task."""
    told = [score.reason] if score.reason else []
    told += [f"{score.left_out:,} left out"] if score.left_out else []
    told += [f"{score.all_items.value:.3f} over all items, used for ranking"] if score.all_items else []
    told += ["not ranked" if brief else f"not ranked: {score.unranked}"] if score.unranked else []
    told += [f"{score.invalid:,} invalid, counted as wrong"] if score.invalid else []
    return told + ([f"{score.clipped:,} outside the scale, clipped"] if score.clipped else [])


def _print_slices(screen: "Console", scores: "list[Score]") -> None:
    if not scores:
        return
    partial = any(score.coverage is not UNSET for score in scores)
    names = (TableColumn(name) for name in ("task", "split", "slice", "metric"))
    table = Table(*names, *FIGURES, *[COVERAGE] * partial, keys=5)
    for score in scores:
        table.add(score.task, score.split, str(score.slice), score.metric, *_figures(score, partial=partial))
    screen.print()
    table.print(screen)


def _print_stated(screen: "Console", result: "Result") -> None:
    wrong = [row for row in result.stated if not row.agrees]
    if not result.stated:
        return
    screen.print(f"\n{len(result.stated) - len(wrong)} of {len(result.stated)} claimed scores agree with the computed ones.")
    for row in wrong:
        ours = number(row.computed) if row.metric != "n" else row.computed
        screen.print(f"  {row.task} {row.split} {row.metric}: claimed {row.stated:g}, computed {ours}")


def print_problems(result: "Result") -> None:
    """Print the problems to standard error, truncated for each code."""
    screen = console(stderr=True)
    for line in listed(result.problems):
        screen.print(line, markup=False, soft_wrap=True)
    screen.print(f"{total(result.problems)}; files with problems were not scored.")
