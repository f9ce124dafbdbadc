"""Repeat a run from its manifest and compare with the scores of its stored predictions: the answer is yes (0) or no (1).

A manifest is a file that anybody may have written: what it would start, load or connect to is shown, and wants --trust.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gluepot.cli.evaluate import add_trust
from gluepot.cli.numbers import JOBS, whole
from gluepot.cli.output import console, print_json, tell
from gluepot.errors import WrongUse
from gluepot.masking import MASK
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import load_suite

if TYPE_CHECKING:
    from gluepot.models import ModelName
    from gluepot.runs.evaluation import RunScores

TOLERANCE = 1e-9


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run_folder", type=Path, metavar="RUN")
    parser.add_argument("--trust", action="store_true", help="run, load or reach the model that the manifest names")
    parser.add_argument("--key-for", default="", metavar="URL", help="for api: your key may go to this address")
    add_trust(parser)
    parser.add_argument("--jobs", type=whole(1, JOBS), default=1, help="jobs at a time (default 1)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    from gluepot.runs.scores.rescoring import rescore
    from gluepot.runs.storage.store import RunFolder

    model = trusted_model(options)
    before = rescore(RunFolder(options.run_folder))
    tell(before.notices)
    rows = compare(before.scores, repeat(options.run_folder, model, options.jobs))
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


def trusted_model(options: Namespace) -> "ModelName":
    """The model that the manifest names, once people have been shown what it does; refused where that wants a trust which was not given."""
    from gluepot.models import ADAPTERS, parse_model
    from gluepot.runs.storage.manifest import read_manifest
    from gluepot.runs.storage.store import RunFolder

    place, name = options.run_folder, read_manifest(RunFolder(options.run_folder)).identity.model
    if MASK in name:
        raise WrongUse(f"{place}: cannot be repeated: a key in {name} was masked. Evaluate again, with the key in the environment.")
    given = {"trust_pickle": options.trust_pickle, "trust_remote_code": options.trust_remote_code, "key_address": options.key_for or None}
    info = ADAPTERS[parse_model(name).adapter]
    model = parse_model(name, **{option: value for option, value in given.items() if option in info.options})
    if not info.trusts:
        return model
    what = f"{place}: its manifest names {name!r}, which {info.trusts}."
    if not options.trust:
        raise WrongUse(f"{what}\nAnybody may have written that. If you want it to happen, add --trust.")
    tell([what])
    return model


def repeat(folder: Path, model: "ModelName", jobs: int) -> "RunScores":
    """The same model, tasks, seeds and limit, from the beginning, in a folder that is thrown away."""
    from gluepot.models.precision import settle
    from gluepot.runs.evaluation import predict, score_run
    from gluepot.runs.prediction.executors import LocalExecutor
    from gluepot.runs.prediction.plan import make_plan
    from gluepot.runs.storage.manifest import make_manifest, open_run, read_manifest
    from gluepot.runs.storage.store import RunFolder

    identity = read_manifest(RunFolder(folder)).identity
    suite = load_suite(identity.suite)
    model, why = settle(model, identity.precision)
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
        failed = predict(model, plan, fresh, LocalExecutor(jobs), lambda: None, lambda report: None)
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
