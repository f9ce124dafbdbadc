"""Create a round from a task: a stratified, seeded sample without answers, with control items, training items and hidden repeats."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.bounds import MANY
from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.output import print_json
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.tasks.declarations import find

LANGUAGES = ("en", "sv", "da", "ru", "eu")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("task", metavar="SUITE/TASK")
    parser.add_argument("--items", type=bounded_int(1, 100_000), required=True, help="number of items")
    parser.add_argument("--votes", type=bounded_int(1, 1000), default=3, help="votes on each item (default 3)")
    parser.add_argument("--split", help="the split to sample from (default: the suite's)")
    parser.add_argument(
        "--controls", type=bounded_int(0, 1000), default=0, help="control items from the training split, mixed in for every rater"
    )
    parser.add_argument(
        "--training", type=bounded_int(0, 1000), default=0, help="items from the training split that come first, with feedback"
    )
    parser.add_argument("--repeats", type=bounded_int(0, 1000), default=0, help="items that a rater silently gets a second time")
    parser.add_argument("--pilot", type=bounded_int(0, 100_000), default=0, help="items that come before all others")
    parser.add_argument("--question", action="append", metavar="TEXT", help="the question; repeat it for several questions in turn")
    parser.add_argument("--guidelines", type=Path, metavar="FILE", help="guidelines for raters (default: the task's summary)")
    parser.add_argument(
        "--consent", type=Path, metavar="FILE", help="consent text for raters (default: names are made up, stop at any time)"
    )
    parser.add_argument("--language", choices=LANGUAGES, help="language of the interface (default: that of each rater's browser)")
    parser.add_argument("--seed", type=bounded_int(0, MANY), default=0, help="random seed of the sample (default 0)")
    parser.add_argument("--name", help="name of the round")
    parser.add_argument("--out", type=Path, metavar="FILE", help="output file (default rounds/NAME.json)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    import msgspec

    from gluepot.files import write_atomically
    from gluepot.people.rounds.drawing import RoundSettings, draw_round

    suite, task = find(options.task)
    if task is None:
        raise WrongUse(f"{options.task} is a suite; a round needs a single task.")
    text, consent = (_text(path) for path in (options.guidelines, options.consent))
    settings = RoundSettings(
        items=options.items, votes=options.votes, split=options.split or suite.score_split, seed=options.seed, controls=options.controls,
        training=options.training, repeats=options.repeats, pilot=options.pilot, questions=options.question or [], guidelines=text,
        consent=consent, language=options.language or "", name=options.name or "",
    )  # fmt: skip
    plan = draw_round(task, settings)
    path = options.out or Path("rounds") / f"{plan.name}.json"
    if path.exists():
        raise WrongUse(f"{path}: the round exists already. Choose another --out or --name.")
    write_atomically(path, msgspec.json.format(msgspec.json.encode(plan), indent=1) + b"\n")
    if options.json:
        print_json({"name": plan.name, "file": str(path), "items": len(plan.items), "votes": plan.votes, "seed": plan.seed})
    else:
        print(
            f"{path}: {pluralize(options.items, 'item')}, {pluralize(plan.votes, 'vote')} each; open it with `gluepot annotate open {path}`"
        )
    return 0


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path}: cannot be read as text ({error}).") from error
