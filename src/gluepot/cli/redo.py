"""Repeat a run from its manifest and compare with the scores of its stored predictions: the answer is yes (0) or no (1)."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gluepot.cli.numbers import JOBS, whole
from gluepot.cli.output import console, print_json, tell
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.runs.evaluation import RunScores

TOLERANCE = 1e-9


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run_folder", type=Path, metavar="RUN")
    parser.add_argument("--jobs", type=whole(1, JOBS), default=1, help="jobs at a time (default 1)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    from gluepot.runs.rescoring import rescore
    from gluepot.runs.store import RunFolder

    before = rescore(RunFolder(options.run_folder))
    tell(before.notices)
    rows = compare(before.scores, repeat(options.run_folder, options.jobs))
    different = [row for row in rows if not row["same"]]
    same = not different and not before.edited
    if options.json:
        print_json({"run": str(options.run_folder), "same": same, "scores": rows, "notices": before.notices})
    else:
        screen = console()
        for row in different:
            screen.print(f"{row['task']} {row['metric']}: stored {row['stored']}, now {row['now']}", markup=False)
        screen.print(f"{len(rows) - len(different)} of {pluralize(len(rows), 'score is', 'scores are')} the same.")
    return 0 if same else 1


def repeat(folder: Path, jobs: int) -> "RunScores":
    """The same model, tasks, seeds and limit, from the beginning, in a folder that is thrown away."""
    from gluepot.models import parse_model
    from gluepot.models.precision import settle
    from gluepot.runs.evaluation import predict, score_run
    from gluepot.runs.executors import Local
    from gluepot.runs.manifest import make_manifest, open_run, read_manifest
    from gluepot.runs.plan import make_plan
    from gluepot.runs.store import RunFolder

    identity = read_manifest(RunFolder(folder)).identity
    suite = load_suite(identity.suite)
    model, why = settle(parse_model(identity.model), identity.precision)
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
        open_run(fresh, make_manifest(plan, suite, model, identity.protocol, [], why), resume=False)
        failed = predict(model, plan, fresh, Local(jobs), lambda: None, lambda report: None)
        return score_run(fresh, failed)


def compare(stored: "RunScores", again: "RunScores") -> list[dict[str, Any]]:
    """Every stored score beside the repeated one, and those that only one of the two has."""
    before, now = ({(row.task, row.split, row.metric, row.slice): row.value for row in scores.scores} for scores in (stored, again))
    rows: list[dict[str, Any]] = []
    for key in dict.fromkeys([*before, *now]):
        task, _, metric, part = key
        old, new = before.get(key), now.get(key)
        near = old is not None and new is not None and abs(old - new) <= TOLERANCE
        same = near or (old is new is None and key in before and key in now)
        rows.append({"task": f"{task}/{part}" if part else task, "metric": metric, "stored": old, "now": new, "same": same})
    return rows
