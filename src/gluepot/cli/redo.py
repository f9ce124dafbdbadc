"""Repeat a run from its manifest and compare the scores with those of its stored predictions; exit code 0 if they agree, 1 if not.

A manifest may come from anybody: whatever it would start, load or connect to is shown first and needs --trust.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gluepot.cli.console.numbers import bounded_count
from gluepot.cli.console.output import console, print_json, print_notices
from gluepot.cli.console.settings import add_settings, given_settings
from gluepot.errors import WrongUse
from gluepot.masking import MASK
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.models import ModelName
    from gluepot.runs.evaluation import RunScores
    from gluepot.runs.storage.manifest import Manifest

TOLERANCE = 1e-9


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run_folder", type=Path, metavar="RUN")
    parser.add_argument("--trust", action="store_true", help="start, load or connect to the model in the manifest")
    parser.add_argument("--key-for", default="", metavar="URL", help="for api: send your key to this address")
    parser.add_argument("--jobs", type=bounded_count("jobs"), default=1, help="number of parallel jobs (default 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")
    add_settings(parser, grants=True)


def run(options: Namespace) -> int:
    from gluepot.runs.scores.rescoring import rescore
    from gluepot.runs.storage.store import RunFolder

    model = trusted_model(options)
    before = rescore(RunFolder(options.run_folder))
    print_notices(before.notices)
    again, changed = repeat(options.run_folder, model, options.jobs)
    rows = compare(before.scores, again)
    different = [row for row in rows if not row["same"]]
    same = not different and not before.edited
    if options.json:
        print_json({"run": str(options.run_folder), "same": same, "scores": rows, "notices": before.notices, "changed": changed})
    else:
        screen = console()
        for row in different:
            screen.print(f"{row['task']} {row['metric']}: stored {row['stored']}, now {row['now']}", markup=False)
        screen.print(f"{len(rows) - len(different)} of {pluralize(len(rows), 'score is', 'scores are')} the same.")
        for change in changed if different else []:
            screen.print(f"changed since then: {change}", markup=False)
    return 0 if same else 1


def trusted_model(options: Namespace) -> "ModelName":
    """Return the manifest's model after showing what it does; refuse it if it requires trust that was not given."""
    from gluepot.models import ADAPTERS
    from gluepot.models.names import read_model
    from gluepot.models.settings import KEY_ADDRESS
    from gluepot.runs.storage.manifest import read_manifest
    from gluepot.runs.storage.store import RunFolder

    place, record = options.run_folder, read_manifest(RunFolder(options.run_folder)).identity.model
    if MASK in record.name:
        raise WrongUse(
            f"{place}: cannot be repeated: a key in {record} was masked. Run the evaluation again, with the key in the environment."
        )
    info = ADAPTERS[record.adapter]
    if info.live:
        raise WrongUse(f"{place}: cannot be repeated: {record} {info.trusts}. Evaluate it again from there.")
    granted = {**given_settings(options), KEY_ADDRESS.name: options.key_for or None}
    model = read_model(record, **{name: value for name, value in granted.items() if info.setting(name)})
    if not info.trusts:
        return model
    what = f"{place}: its manifest names {record.name!r}, which {info.trusts}."
    if not options.trust:
        raise WrongUse(f"{what}\nThe manifest may come from anybody. If you trust it, add --trust.")
    print_notices([what])
    return model


def repeat(folder: Path, model: "ModelName", jobs: int) -> "tuple[RunScores, list[str]]":
    """Run the same model, tasks, seeds and limit from scratch in a temporary folder; return the scores and what has changed since."""
    from msgspec.structs import replace

    from gluepot.runs.pipeline import RunRequest, evaluate_model
    from gluepot.runs.prediction.execution.executors import LocalExecutor
    from gluepot.runs.prediction.plan import make_plan
    from gluepot.runs.storage.manifest import read_manifest
    from gluepot.runs.storage.store import RunFolder

    then = read_manifest(RunFolder(folder))
    identity = then.identity
    suite = load_suite(identity.suite)
    plan = make_plan(
        model,
        suite,
        tasks=identity.tasks,
        split=identity.split,
        seeds=len(identity.seeds),
        limit=identity.limit,
        protocol=identity.protocol,
    )
    plan = replace(plan, jobs=[replace(job, afresh=True) for job in plan.jobs])  # a stored model would only reproduce itself
    with TemporaryDirectory(prefix="gluepot-redo-") as place:
        fresh = RunFolder(Path(place) / "run")
        request = RunRequest(suite, model, plan, fresh, resume=False, precision=identity.precision, commit=identity.commit)
        scores = evaluate_model(request, LocalExecutor(jobs))
        return scores, _changes(then, read_manifest(fresh))


def _changes(then: "Manifest", now: "Manifest") -> list[str]:
    """Return differences in machine, precision, versions and code; another machine or precision may change the last digits."""
    from gluepot.runs.storage.store import differences

    pairs = ((one.machine, one.packages, one.identity.precision, one.identity.gluepot, one.identity.code) for one in (then, now))
    names = ("machine", "packages", "precision", "gluepot", "code")
    old, new = (dict(zip(names, values, strict=True)) for values in pairs)
    return list(differences(old, new))


def compare(stored: "RunScores", again: "RunScores") -> list[dict[str, Any]]:
    """Compare every stored score with the repeated one, including those that only one of the two has."""
    before, now = ({(row.task, row.split, row.metric, row.slice): row.value for row in scores.scores} for scores in (stored, again))
    rows: list[dict[str, Any]] = []
    for key in dict.fromkeys([*before, *now]):
        task, _, metric, part = key
        old, new = before.get(key), now.get(key)
        near = old is not None and new is not None and abs(old - new) <= TOLERANCE
        same = near or (old is new is None and key in before and key in now)
        rows.append({"task": f"{task}/{part}" if part else task, "metric": metric, "stored": old, "now": new, "same": same})
    return rows
