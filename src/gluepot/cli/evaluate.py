"""Evaluate a model on a suite or some of its tasks: predict, score, report. A run that was stopped goes on where it was."""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.numbers import JOBS, MANY, RESAMPLES, SEEDS, YEAR, amount, prices, whole
from gluepot.cli.output import console, number, plain, print_json, share, span, tell
from gluepot.cli.signals import TOLD_TO_END, ended_like_ctrl_c
from gluepot.cli.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.masking import mask_words
from gluepot.records import Suite
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from gluepot.models import ModelName
    from gluepot.runs.evaluation import RunScores
    from gluepot.runs.prediction.executors import Executor
    from gluepot.runs.prediction.plan import Plan
    from gluepot.runs.storage.store import RunFolder


SETTINGS = (
    *("batch_size", "time_limit", "shots", "wording", "form", "answers", "thinking", "price", "budget", "precision"),
    *("trust_pickle", "trust_remote_code"),
)
"""What the command line may tell an adapter."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="majority, tfidf-svm, vectors:FILE, command:'…' … (see `gluepot models`)")
    parser.add_argument("places", nargs="+", metavar="SUITE[/TASK]")
    parser.add_argument("--tasks", default="", help="only these tasks, separated by commas")
    parser.add_argument("--split", help="the split to answer (default: the suite's)")
    parser.add_argument("--seeds", type=whole(1, SEEDS), help="how many seeds (default: as many as the protocol has, or 1)")
    parser.add_argument("--limit", type=whole(1, MANY), metavar="N", help="at most N items a task; marked as partial, never ranked")
    parser.add_argument("--protocol", default="suite", help="how an encoder is trained: quick, or as a suite has it (default: this suite)")
    parser.add_argument(
        "--precision", choices=("auto", "fp32", "bf16", "fp16"), help="for encoder, lm: the arithmetic (default: what works and pays here)"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run's folder (default runs/MODEL-SUITE)")
    parser.add_argument("--no-resume", action="store_true", help="refuse to go on with a run that is there")
    parser.add_argument("--on", choices=("local", "ray"), default="local", help="processes of this machine, or a Ray cluster")
    parser.add_argument("--jobs", type=whole(1, JOBS), default=1, help="jobs at a time (default 1)")
    parser.add_argument("--address", help="the Ray cluster to join")
    parser.add_argument("--batch-size", type=whole(1, MANY), metavar="N", help="for command: handed on to the program")
    parser.add_argument("--time-limit", type=whole(1, YEAR), metavar="SECONDS", help="for command: the most it may take for a task")
    parser.add_argument("--shots", type=whole(0, 1000), metavar="N", help="for lm, api: few-shot examples (default as declared)")
    parser.add_argument("--wording", type=whole(0, 1000), metavar="N", help="for lm, api: 0 the task's prompt, 1 … its paraphrases")
    parser.add_argument("--form", choices=("auto", "base", "instruct"), help="for lm, api: ask by a text to complete, or in a chat")
    parser.add_argument(
        "--answers",
        choices=("auto", "likelihood", "first-token", "text"),
        help="for lm, api: how an answer is found (default the best way)",
    )
    thinking = "for lm, api: tokens that a model may think before it answers in text"
    parser.add_argument("--thinking", type=whole(0, MANY), metavar="N", help=thinking)
    parser.add_argument("--prompts", choices=("all",), help="for lm, api: a run for each wording, and the spread over them")
    parser.add_argument("--plan", action="store_true", help="for lm, api: ask 20 items a task and foretell tokens, minutes and cost")
    parser.add_argument("--price", type=prices, metavar="IN,OUT", help="for api: what a million tokens cost, for --budget")
    parser.add_argument("--budget", type=amount, metavar="MONEY", help="for api: stop when this much is spent")
    add_trust(parser)
    parser.add_argument("--resamples", type=whole(2, RESAMPLES), default=1000, help="bootstrap resamples a score (default 1000)")
    parser.add_argument("--dry-run", action="store_true", help="show the plan and stop")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def add_trust(parser: ArgumentParser) -> None:
    """The options that let code run which came with a model; without them nothing of it does."""
    pickled = "for vectors: open a file that is a Python pickle, which may run any code as you"
    remote = "for encoder, lm: run the Python code that comes with the model"
    parser.add_argument("--trust-pickle", action="store_const", const=True, help=pickled)
    parser.add_argument("--trust-remote-code", action="store_const", const=True, help=remote)


def prepare(options: Namespace) -> "tuple[Suite, ModelName, Plan, Path]":
    """What is meant: suite, model, plan, and the run's folder."""
    from gluepot.models import named_by_user, parse_model
    from gluepot.runs.evaluation import default_folder
    from gluepot.runs.prediction.plan import make_plan

    suite, tasks = _places(options)
    model = named_by_user(parse_model(options.model, **{name: getattr(options, name) for name in SETTINGS}))
    plan = make_plan(model, suite, tasks=tasks, split=options.split, seeds=options.seeds, limit=options.limit, protocol=options.protocol)
    return suite, model, plan, options.out or default_folder(options.model, suite.name)


def run(options: Namespace) -> int:
    with ended_like_ctrl_c():
        return _run(options)


def _run(options: Namespace) -> int:
    from gluepot.cli.score import print_problems
    from gluepot.runs.storage.store import RunFolder

    if options.prompts or options.plan:
        from gluepot.cli.wordings import run_all_prompts, run_plan

        return run_plan(options) if options.plan else run_all_prompts(options)
    suite, model, plan, out = prepare(options)
    if options.dry_run:
        print_json(plan) if options.json else print_plan(plan)
        return 0
    folder = RunFolder(out)
    try:
        scores = evaluate(options, suite, model, plan, folder)
    except KeyboardInterrupt as told:
        return stop(folder, told)
    if options.json:
        print_json(scores)
    else:
        print_scores(scores, task_seconds(folder))
    broken = [(seed, result) for seed, result in scores.seeds.items() if result.problems]
    for seed, result in broken:
        print(f"\nseed {seed}:", file=sys.stderr)
        print_problems(result)
    return 1 if broken else 0


def stop(folder: "RunFolder", told: KeyboardInterrupt) -> int:
    """Ctrl-C: say what is kept and how to go on."""
    print("\nStopped.", file=sys.stderr)
    if folder.exists():
        folder.log("stopped by a signal" if told.args else "stopped by the keyboard")
        again = shlex.join(["gluepot", *mask_words(sys.argv[1:])])
        print(f"What is done is kept in {folder.path}; go on with:\n  {again}", file=sys.stderr)
    return TOLD_TO_END if told.args else 130


def task_seconds(folder: "RunFolder") -> dict[str, float]:
    """Seconds that the jobs of each task took, over all seeds."""
    from gluepot.runs.evaluation import TIMES

    times = folder.read(TIMES, dict[str, float]) if (folder.path / TIMES).is_file() else {}
    seconds: dict[str, float] = {}
    for job, spent in times.items():
        task = job.partition(" seed ")[0]
        seconds[task] = seconds.get(task, 0.0) + spent
    return seconds


def _places(options: Namespace) -> tuple[Suite, list[str]]:
    found = [find(place) for place in options.places]
    suite = found[0][0]
    if any(other.name != suite.name for other, _ in found):
        raise WrongUse("one suite a run: evaluate each suite on its own.")
    tasks = [task.name for _, task in found if task is not None]
    return suite, tasks + [name.strip() for name in options.tasks.split(",") if name.strip()]


def evaluate(options: Namespace, suite: Suite, model: "ModelName", plan: "Plan", folder: "RunFolder") -> "RunScores":
    """Open the run's folder, do what is left of the plan, score, and store."""
    from dataclasses import replace

    from gluepot.cli.progress import MANY, Progress
    from gluepot.models import ADAPTERS
    from gluepot.runs.evaluation import predict, save_scores, score_run
    from gluepot.runs.prediction.executors import EXECUTORS
    from gluepot.runs.scores.rescoring import edited, notices_of, read_stored
    from gluepot.runs.storage.manifest import make_manifest, open_run

    executor = EXECUTORS[options.on](jobs=options.jobs, address=options.address)
    model, why = settle_precision(model, folder, executor)
    manifest = open_run(folder, make_manifest(plan, suite, model, plan.protocol, sys.argv[1:], why), resume=not options.no_resume)
    tell([*notices_of(folder, suite, manifest), *member_notices(model)])
    stored, _ = read_stored(folder)
    ledger: Path | None = vars(options).get("ledger", folder.path / "spent.txt") if "ledger" in ADAPTERS[model.adapter].options else None
    if ledger:  # tokens that were paid for, by all processes of the run and over all its resumptions
        model = replace(model, options=(*model.options, ("ledger", str(ledger.resolve()))))
    with Progress(plan, folder, suite, MANY if options.address else options.jobs) as progress:
        failed = predict(model, plan, folder, executor, progress.tick, progress.told)
    scores = score_run(folder, failed, options.resamples)
    tell(edited(folder, stored, scores))
    save_scores(folder, scores)
    print(f"run: {folder.path}", file=sys.stderr)
    if ledger:
        from gluepot.models.api.spending import Spending

        print(f"paid for: {Spending(options.price or '0,0', ledger=ledger)}", file=sys.stderr)
    return scores


def member_notices(model: "ModelName") -> list[str]:
    """What should be known of the runs that an ensemble is made of."""
    from gluepot.runs.scores.rescoring import path_notices
    from gluepot.runs.storage.manifest import member_folders

    members = member_folders(model.argument) if model.adapter == "ensemble" else []
    return [notice for folder in members for notice in path_notices(folder.path)]


def settle_precision(model: "ModelName", folder: "RunFolder", executor: "Executor") -> "tuple[ModelName, str]":
    """The model with the precision that it will compute in, and why; a run that goes on keeps the one that it has."""
    from gluepot.models import ADAPTERS
    from gluepot.models.precision import PrecisionChoice, settle
    from gluepot.models.trials import FULL, is_known
    from gluepot.runs.storage.manifest import precision_of, read_manifest

    def choose(wanted: str) -> PrecisionChoice:
        if wanted != FULL and not is_known(wanted):
            print("half precision is tried, once on this machine …", file=sys.stderr)
        return executor.choose_precision(wanted)

    before = read_manifest(folder).identity.precision if folder.exists() else None
    model, why = settle(model, before, choose)
    if ADAPTERS[model.adapter].tuned:
        print(f"precision: {precision_of(model)} ({why})", file=sys.stderr)
    return model, why


def print_plan(plan: "Plan") -> None:
    screen = console()
    job_number, seed = TableColumn("job", figures=True), TableColumn("seed", figures=True)
    table = Table(job_number, TableColumn("learns"), seed, TableColumn("split"), TableColumn("answers", prose=True), keys=3)
    for position, job in enumerate(plan.jobs, start=1):
        table.add(str(position), job.learns, str(job.seed), job.split, ", ".join(job.answers))
    table.print(screen)
    for skipped in plan.skipped:
        screen.print(f"left out: {skipped.task}: {skipped.reason}", markup=False)


def print_scores(scores: "RunScores", seconds: dict[str, float]) -> None:
    from gluepot.runs.evaluation import tell_trivial
    from gluepot.runs.scores.answer_stats import in_words
    from gluepot.runs.scores.coverage import skips_in_words
    from gluepot.runs.scores.training_summary import tell as tell_training

    screen = console()
    partial = "  [bold]partial, never ranked[/]" if scores.partial else ""
    split = scores.scores[0].split
    screen.print(f"\n[bold]{plain(scores.model)}[/] on {scores.suite} {scores.version}, {split}{partial}\n")
    _table(scores, seconds).print(screen)
    for mean in scores.overall:
        value = f"{number(mean.value)}  ({span(mean.low, mean.high)})" if mean.value is not None else f"– ({mean.reason})"
        screen.print(f"[bold]overall[/]  {value}")
        if mean.note:
            screen.print(f"  {mean.note}", markup=False)
    for task, asked in scores.asked.items():
        screen.print(f"{task} answered by {in_words(asked)}.", markup=False)
    for line in tell_trivial(scores):
        screen.print(line, markup=False)
    told = set()
    for row in scores.scores:
        if (row.all_items or row.unranked) and not row.slice and row.task not in told:  # the first metric speaks for all
            screen.print(f"{row.task} {row.metric}: {skips_in_words(row.coverage, row.all_items, row.unranked)}.", markup=False)
            told.add(row.task)
    missing = [(row.reason, row.task) for row in scores.scores if row.reason and not row.slice]
    for why in dict.fromkeys(reason for reason, _ in missing):
        screen.print(f"{why} ({', '.join(task for reason, task in missing if reason == why)})", markup=False)
    for line in tell_training(scores.trained, scores.searches, scores.search_spread, scores.bootstraps):
        screen.print(line, markup=False)
    for task, reason in scores.failed.items():
        screen.print(f"no answer to {task}: {reason}", markup=False)


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
