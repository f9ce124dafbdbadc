"""Build a task from a corpus: data, declaration and documentation sheet, with counts after every filter. `--list` describes the makers."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gluepot.bounds import MANY
from gluepot.build.maker import MAKERS, Maker
from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.output import console, number, print_json, span
from gluepot.cli.new import print_next, shares
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize

if TYPE_CHECKING:
    from gluepot.build.production import BuiltTask


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="list the makers, with an example of each one's input")
    parser.add_argument("--json", action="store_true", dest="listed_as_json", help="print the list as one JSON document")
    makers = parser.add_subparsers(title="makers", metavar="MAKER", dest="maker")
    for name in MAKERS:
        maker = MAKERS[name]
        one = makers.add_parser(name, help=maker.summary, description=f"{maker.summary} Input: {maker.takes}.")
        _add_options(one, maker)


def _add_options(parser: ArgumentParser, maker: Maker) -> None:
    parser.add_argument("inputs", nargs="+", type=Path, metavar="INPUT", help=maker.takes)
    parser.add_argument(
        "--to", type=Path, required=True, metavar="SUITE_DIR/TASK", help="the task's folder; its suite is created if it does not exist"
    )
    for option in maker.options:
        more: dict[str, Any] = {"choices": option.choices} if option.choices else {"metavar": option.name.upper()}
        more |= {"action": "append"} if option.many else {}
        told = f"{option.help} (default {option.default})" if option.default not in ("", None, []) and not option.many else option.help
        kind = bounded_int(option.least, MANY) if isinstance(option.default, int) else str
        parser.add_argument(f"--{option.name}", default=option.default, type=kind, help=told.replace("%", "%%"), **more)
    parser.add_argument(
        "--split", type=shares, metavar="TRAIN,DEV,TEST", help="shares of the splits, unless the maker has its own (default 0.7,0.1,0.2)"
    )
    parser.add_argument("--seed", type=bounded_int(0, MANY), default=maker.seed, help=f"random seed (default {maker.seed})")
    parser.add_argument("--language", default="", help="language, such as fo, sv, pt-BR (default: its suite's)")
    parser.add_argument("--title", default="", help="display name (default: from the folder's name)")
    parser.add_argument("--license", default="", help="SPDX licence identifier of the input (default: from a LICENSE or README next to it)")
    parser.add_argument(
        "--trained-on", default="", metavar="TASK", help="for a test set without training data: the task whose model is tested"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the sizes without writing anything")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    if options.list:
        print_json({"makers": [_described(MAKERS[name]) for name in MAKERS]}) if options.listed_as_json else list_makers()
        return 0
    if not options.maker:
        raise WrongUse(f"a maker is required: {', '.join(MAKERS)}. `gluepot build --list` describes them.")
    from gluepot.build.production import BuildRequest, build

    maker = MAKERS[options.maker]
    settings = {option.name: getattr(options, option.name.replace("-", "_")) for option in maker.options}
    request = BuildRequest(
        maker,
        options.inputs,
        options.to,
        settings,
        options.seed,
        shares=options.split,
        language=options.language,
        title=options.title,
        licence=options.license,
        trained_on=options.trained_on,
        dry_run=options.dry_run,
    )
    built = build(request, _progress())
    if options.json or options.listed_as_json:
        print_json(_document(built))
        for note in built.notes:
            print(note, file=sys.stderr)
    else:
        print_built(built, options.to, dry_run=options.dry_run)
    return 0


def _document(built: "BuiltTask") -> dict[str, object]:
    keys = ("task", "files", "splits", "filters", "artefacts", "seed", "licence")
    return {key: getattr(built, key) for key in keys}


def _progress() -> Callable[[str], None]:
    """Return a function that prints progress on a terminal only."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda sentence: print(sentence, file=sys.stderr)


def _described(maker: Maker) -> dict[str, object]:
    options = [{"name": o.name, "help": o.help, "default": o.default, "choices": list(o.choices)} for o in maker.options]
    return {"name": maker.name, "summary": maker.summary, "takes": maker.takes, "example": maker.example, "options": options}


def list_makers() -> None:
    for name in MAKERS:
        maker = MAKERS[name]
        print(f"{name}: {maker.summary}")
        print(f"  takes {maker.takes}, such as")
        for line in maker.example.splitlines():
            print(f"    {line}")
        for option in maker.options:
            values = "|".join(option.choices) or option.name.upper()
            print(f"  --{option.name} {values}: {option.help}")
        print()
    print("gluepot build MAKER INPUT… --to SUITE_DIR/TASK; `gluepot build MAKER --help` shows the options.")


def print_built(built: "BuiltTask", place: Path, *, dry_run: bool) -> None:
    for step in built.filters:
        print(f"  {step['left']:>9,}  {step['name']}")
    for split, size in built.splits.items():
        labels = ", ".join(f"{label} {count:,}" for label, count in size["labels"].items())
        print(f"{split}: {pluralize(size['rows'], 'item')}{f' ({labels})' if labels else ''}")
    print_artefacts(built)
    for note in built.notes:
        print(note)
    if dry_run:
        print("Dry run: nothing was written.")
        return
    print(
        f"{built.task}: licence {built.licence}, seed {built.seed}; {place}/task.toml, {place}/sheet.md, {place.parent}/data/{place.name}/"
    )
    path = str(place) if place.is_absolute() or str(place).startswith(".") else f"./{place}"
    print_next(f"gluepot data check {path}", f"gluepot evaluate majority {path}")


def print_artefacts(built: "BuiltTask") -> None:
    """Print the accuracy of rules with a single feature; those better than chance are marked."""
    if not built.artefacts:
        return
    from rich.table import Table

    table = Table(
        "rule", "accuracy", "interval", "chance", "", box=None, pad_edge=False, title="Rules with a single feature", title_justify="left"
    )
    for one in built.artefacts:
        table.add_row(one.rule, number(one.accuracy), span(one.low, one.high), number(one.chance), "tells" if one.tells else "")
    console().print(table)
