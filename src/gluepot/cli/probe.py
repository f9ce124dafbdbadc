"""Look for signs that a language model has seen a test set, each with its caveat."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gluepot.cli.console.numbers import bounded_count
from gluepot.cli.console.output import console, print_json
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.records import Task
from gluepot.tasks.declarations import find

if TYPE_CHECKING:
    from gluepot.models.lm.probes import ContaminationSign

LIMIT = 60


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="lm:PATH|HUB_ID")
    parser.add_argument("path", metavar="SUITE/TASK")
    parser.add_argument("--split", default="test")
    parser.add_argument("--limit", type=bounded_count("limit"), default=LIMIT, metavar="N", help=f"at most N texts (default {LIMIT})")
    remote = "run the Python code that comes with the model"
    parser.add_argument("--trust-remote-code", action="store_true", help=remote)
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.data.folders import has_split
    from gluepot.models import parse_model
    from gluepot.models.lm.loading.weights import load_model
    from gluepot.models.lm.probes import probe
    from gluepot.models.pretrained import find_source

    suite, task = find(options.path)
    model = parse_model(options.model)
    if task is None or not model.info.tells_likelihoods:
        raise WrongUse(f"probe needs lm:PATH and a task, such as {suite.name}/{next(iter(suite.tasks))}.")
    reference = read_texts(task, "train", options.limit) if has_split(task, "train") else []
    source = find_source(model.argument, trust_remote_code=options.trust_remote_code)
    found = probe(load_model(source), read_texts(task, options.split, options.limit), reference)
    if options.json:
        print_json({"model": str(model), "task": task.path, "split": options.split, "probes": found})
        return 0
    screen = console()
    for sign in found:
        screen.print(f"{sign.name}: {describe_sign(sign)}\n  {sign.caveat}", markup=False)
    return 0


def describe_sign(sign: "ContaminationSign") -> str:
    if sign.value is None:
        return f"– ({sign.reason})"
    beside = "" if sign.reference is None else f" (training texts: {sign.reference:.3f})"
    return f"{'p = ' if sign.name == 'order' else ''}{sign.value:.3f}{beside}, {pluralize(sign.items, 'text')}"


def read_texts(task: Task, split: str, limit: int) -> list[str]:
    """Return the items' running texts, in the published order."""
    from gluepot.data.examples import load_examples
    from gluepot.models.prompts.fields import fields

    return [
        fields(task, example).get("text") or " ".join(map(str, example.inputs.values())) for example in load_examples(task, split)[:limit]
    ]
