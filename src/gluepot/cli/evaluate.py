"""Evaluate a model on a suite or some of its tasks: predict, score, report. An interrupted run is resumed."""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.numbers import bounded_count
from gluepot.cli.console.output import console, number, plain, print_json, share, span
from gluepot.cli.console.settings import add_settings, given_settings
from gluepot.cli.console.signals import Termination, exit_code, raise_on_sigterm
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.masking import mask_words
from gluepot.records import Suite
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from gluepot.runs.evaluation import RunScores
    from gluepot.runs.pipeline import RunRequest
    from gluepot.runs.prediction.plan import Plan
    from gluepot.runs.storage.store import RunFolder


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="majority, tfidf-svm, vectors:FILE, command:'…' … (see `gluepot models`)")
    parser.add_argument("places", nargs="+", metavar="SUITE[/TASK]")
    parser.add_argument("--tasks", default="", help="only these tasks, separated by commas")
    parser.add_argument("--split", help="the split to predict (default: the suite's)")
    parser.add_argument("--seeds", type=bounded_count("seeds"), help="number of seeds (default: the protocol's, or 1)")
    parser.add_argument(
        "--limit", type=bounded_count("limit"), metavar="N", help="at most N items per task; the run is marked as partial and never ranked"
    )
    parser.add_argument(
        "--protocol", default="suite", help="training protocol for encoders: quick, or the name of a suite (default: this suite's)"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="run folder (default runs/MODEL-SUITE)")
    parser.add_argument("--no-resume", action="store_true", help="fail if the run exists instead of resuming it")
    parser.add_argument("--on", choices=("local", "ray"), default="local", help="run on this machine or on a Ray cluster")
    parser.add_argument("--jobs", type=bounded_count("jobs"), default=1, help="number of parallel jobs (default 1)")
    parser.add_argument("--address", help="address of the Ray cluster")
    parser.add_argument("--prompts", choices=("all",), help="for api, lm: one run per prompt, and the spread between them")
    parser.add_argument("--plan", action="store_true", help="for api, lm: run 20 items per task and estimate tokens, time and cost")
    parser.add_argument("--resamples", type=bounded_count("resamples"), default=1000, help="bootstrap resamples per score (default 1000)")
    parser.add_argument("--dry-run", action="store_true", help="print the jobs and exit")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")
    add_settings(parser)


def prepare(options: Namespace) -> "RunRequest":
    """Build the request from the options: suite, model, plan, and the run's folder."""
    from gluepot.models import parse_model
    from gluepot.models.names import grant_api_key
    from gluepot.runs.evaluation import default_folder
    from gluepot.runs.pipeline import RunRequest
    from gluepot.runs.prediction.plan import make_plan
    from gluepot.runs.storage.store import RunFolder

    suite, tasks = _places(options)
    model = grant_api_key(parse_model(options.model, **given_settings(options)))
    plan = make_plan(model, suite, tasks=tasks, split=options.split, seeds=options.seeds, limit=options.limit, protocol=options.protocol)
    return RunRequest(
        suite,
        model,
        plan,
        RunFolder(options.out.expanduser() if options.out else default_folder(options.model, suite.name)),
        resume=not options.no_resume,
        resamples=options.resamples,
        command=sys.argv[1:],
        ledger=vars(options).get("ledger"),
    )


def run(options: Namespace) -> int:
    with raise_on_sigterm():
        return _run(options)


def _run(options: Namespace) -> int:
    from gluepot.cli.score import print_problems
    from gluepot.models.names import display_name
    from gluepot.runs.pipeline import task_seconds
    from gluepot.runs.storage.manifest import read_manifest

    if options.prompts or options.plan:
        from gluepot.cli.prompts import run_all_prompts, run_plan

        return run_plan(options) if options.plan else run_all_prompts(options)
    request = prepare(options)
    if options.dry_run:
        print_json(request.plan) if options.json else print_plan(request.plan)
        return 0
    try:
        scores = evaluate(options, request)
    except KeyboardInterrupt as told:
        return stop(request.folder, told)
    if options.json:
        print_json(scores)
    else:
        name = display_name(read_manifest(request.folder).identity.model)
        print_scores(scores, name, task_seconds(request.folder))
    broken = [(seed, result) for seed, result in scores.seeds.items() if result.problems]
    for seed, result in broken:
        print(f"\nseed {seed}:", file=sys.stderr)
        print_problems(result)
    return 1 if broken else 0


def stop(folder: "RunFolder", told: KeyboardInterrupt) -> int:
    """Report after Ctrl-C what is stored and how to resume; return the exit code."""
    print("\nStopped.", file=sys.stderr)
    if folder.exists():
        folder.log("stopped by a signal" if isinstance(told, Termination) else "stopped by the keyboard")
        again = shlex.join(["gluepot", *mask_words(sys.argv[1:])])
        print(f"Finished work is kept in {folder.path}; resume with:\n  {again}", file=sys.stderr)
    return exit_code(told)


def _places(options: Namespace) -> tuple[Suite, list[str]]:
    found = [find(place) for place in options.places]
    suite = found[0][0]
    if any(other.name != suite.name for other, _ in found):
        raise WrongUse("one suite per run: evaluate each suite separately.")
    tasks = [task.name for _, task in found if task is not None]
    return suite, tasks + [name.strip() for name in options.tasks.split(",") if name.strip()]


def evaluate(options: Namespace, request: "RunRequest") -> "RunScores":
    """Evaluate with the executor and the display that the options select."""
    from gluepot.cli.console.progress import MANY, TerminalObserver
    from gluepot.runs.pipeline import evaluate_model
    from gluepot.runs.prediction.execution.executors import EXECUTORS

    executor = EXECUTORS[options.on](jobs=options.jobs, address=options.address)
    return evaluate_model(request, executor, TerminalObserver(MANY if options.address else options.jobs))


def print_plan(plan: "Plan") -> None:
    screen = console()
    job_number, seed = TableColumn("job", figures=True), TableColumn("seed", figures=True)
    table = Table(job_number, TableColumn("trains on"), seed, TableColumn("split"), TableColumn("predicts", prose=True), keys=3)
    for position, job in enumerate(plan.jobs, start=1):
        table.add(str(position), job.learns, str(job.seed), job.split, ", ".join(job.answers))
    table.print(screen)
    for skipped in plan.skipped:
        screen.print(f"skipped: {skipped.task}: {skipped.reason}", markup=False)


def print_scores(scores: "RunScores", name: str, seconds: dict[str, float]) -> None:
    from gluepot.runs.evaluation import trivial_baseline_notices
    from gluepot.runs.scores.answer_stats import describe_stats
    from gluepot.runs.scores.coverage import describe_skips
    from gluepot.runs.scores.training_summary import training_notices

    screen = console()
    partial = "  [bold]partial, never ranked[/]" if scores.partial else ""
    split = scores.scores[0].split
    screen.print(f"\n[bold]{plain(name)}[/] on {scores.suite} {scores.version}, {split}{partial}\n")
    _table(scores, seconds).print(screen)
    for mean in scores.overall:
        value = f"{number(mean.value)}  ({span(mean.low, mean.high)})" if mean.value is not None else f"– ({mean.reason})"
        screen.print(f"[bold]overall[/]  {value}")
        if mean.note:
            screen.print(f"  {mean.note}", markup=False)
    for task, asked in scores.asked.items():
        screen.print(f"{task} evaluated by {describe_stats(asked)}.", markup=False)
    for line in trivial_baseline_notices(scores):
        screen.print(line, markup=False)
    told = set()
    for row in scores.scores:
        if (row.all_items or row.unranked) and not row.slice and row.task not in told:  # the first metric represents all
            screen.print(f"{row.task} {row.metric}: {describe_skips(row.coverage, row.all_items, row.unranked)}.", markup=False)
            told.add(row.task)
    missing = [(row.reason, row.task) for row in scores.scores if row.reason and not row.slice]
    for why in dict.fromkeys(reason for reason, _ in missing):
        screen.print(f"{why} ({', '.join(task for reason, task in missing if reason == why)})", markup=False)
    for line in training_notices(scores.trained, scores.searches, scores.search_spread, scores.bootstraps):
        screen.print(line, markup=False)
    for task, reason in scores.failed.items():
        screen.print(f"no predictions for {task}: {reason}", markup=False)


def _table(scores: "RunScores", seconds: dict[str, float]) -> Table:
    several, partial = len(scores.seeds) > 1, any(isinstance(row.coverage, float) for row in scores.scores)
    figures = ("value", *["± seeds"] * several, "95 % interval", "n", *["coverage"] * partial, "sec")
    table = Table(TableColumn("task"), TableColumn("metric"), *(TableColumn(name, figures=True) for name in figures), keys=3)
    previous = None
    for row in scores.scores:
        if row.slice:
            continue
        first, previous = row.task != previous, row.task
        table.add(
            row.task if first else "",
            row.metric,
            number(row.value),
            *[number(row.spread if isinstance(row.spread, float) else None)] * several,
            span(row.low, row.high),
            f"{row.n:,}",
            *[share(row.coverage)] * partial,
            f"{seconds[row.task]:.1f}" if first and row.task in seconds else "",
            bold=row.primary,
        )
    return table
