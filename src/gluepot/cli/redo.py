"""Repeat a run from its manifest and compare with its stored scores: the answer is yes (0) or no (1)."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gluepot.cli.numbers import JOBS, whole
from gluepot.cli.output import console, print_json
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.runs.evaluation import RunScores

TOLERANCE = 1e-9


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run_folder", type=Path, metavar="RUN")
    parser.add_argument("--jobs", type=whole(1, JOBS), default=1, help="jobs at a time (default 1)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    from gluepot.runs.evaluation import SCORES, RunScores
    from gluepot.runs.store import RunFolder

    stored = RunFolder(options.run_folder).read(SCORES, RunScores)
    again = repeat(options.run_folder, options.jobs)
    rows = compare(stored, again)
    different = [row for row in rows if not row["same"]]
    if options.json:
        print_json({"run": str(options.run_folder), "same": not different, "scores": rows})
    else:
        screen = console()
        for row in different:
            screen.print(f"{row['task']} {row['metric']}: stored {row['stored']}, now {row['now']}", markup=False)
        screen.print(f"{len(rows) - len(different)} of {len(rows)} scores are the same.")
    return 1 if different else 0


def repeat(folder: Path, jobs: int) -> "RunScores":
    """The same model, tasks, seeds and limit, from the beginning, in a folder that is thrown away."""
    from gluepot.models import parse_model
    from gluepot.runs.evaluation import predict, score_run
    from gluepot.runs.executors import Local
    from gluepot.runs.manifest import Manifest, make_manifest, open_run
    from gluepot.runs.plan import make_plan
    from gluepot.runs.store import MANIFEST, RunFolder

    identity = RunFolder(folder).read(MANIFEST, Manifest).identity
    suite, model = load_suite(identity.suite), parse_model(identity.model)
    plan = make_plan(
        model,
        suite,
        tasks=identity.tasks,
        split=identity.split,
        seeds=len(identity.seeds),
        limit=identity.limit,
        protocol=identity.protocol,
    )
    with TemporaryDirectory(prefix="gluepot-redo-") as place:
        fresh = RunFolder(Path(place) / "run")
        open_run(fresh, make_manifest(plan, suite, model, identity.protocol, []), resume=False)
        failed = predict(model, plan, fresh, Local(jobs), lambda: None, lambda report: None)
        return score_run(fresh, failed)


def compare(stored: "RunScores", again: "RunScores") -> list[dict[str, Any]]:
    """Every stored score beside the repeated one."""
    now = {(row.task, row.split, row.metric, row.slice): row.mean for row in again.summary}
    rows: list[dict[str, Any]] = []
    for row in stored.summary:
        value = now.get((row.task, row.split, row.metric, row.slice))
        same = value == row.mean or (value is not None and row.mean is not None and abs(value - row.mean) <= TOLERANCE)
        name = f"{row.task}/{row.slice}" if row.slice else row.task
        rows.append({"task": name, "metric": row.metric, "stored": row.mean, "now": value, "same": same})
    return rows
