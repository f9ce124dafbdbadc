"""Create a suite in a folder, or a task in it from a table: CSV, TSV, JSON, JSON Lines, Parquet. Existing files are never overwritten."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.bounds import MANY
from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.output import print_json
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize

if TYPE_CHECKING:
    from gluepot.data.scaffolding.tasks import NewTask

SPLITS = ("train", "dev", "test")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("place", metavar="DIR[/TASK]", help="a folder for the new suite; with --from, a task in a suite's folder")
    parser.add_argument("--language", help="language, such as fo, sv, pt-BR (default for a task: its suite's)")
    parser.add_argument("--title", default="", help="display name (default: from the folder's name)")
    parser.add_argument("--license", default="", help="SPDX licence identifier, such as CC-BY-4.0 (default: unknown)")
    add_table_options(parser, required=False)
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def add_table_options(parser: ArgumentParser, *, required: bool) -> None:
    """Add the options that turn a table into a task."""
    parser.add_argument("--kind", required=required, help="the kind of task: classification, word-pair … (see the reference)")
    if not required:
        tables = "a table, one table per split, or a folder"
        parser.add_argument("--from", dest="files", nargs="+", type=Path, default=[], metavar="FILE", help=tables)
    parser.add_argument("--field", type=assignment, action="append", default=[], metavar="OURS=COLUMN", help="map a column to a field")
    parser.add_argument(
        "--split", type=shares, metavar="TRAIN,DEV,TEST", help="shares of the rows, if the files have no splits (default 0.7,0.1,0.2)"
    )
    parser.add_argument(
        "--group", default="", metavar="COLUMN", help="rows with the same value stay in the same split and are resampled together"
    )
    parser.add_argument("--seed", type=bounded_int(0, MANY), default=0, help="random seed for the splits (default 0)")


def assignment(text: str) -> tuple[str, str]:
    ours, equals, theirs = text.partition("=")
    if not (ours and equals and theirs):
        raise ArgumentTypeError(f"{text!r}: write FIELD=COLUMN, such as text=review")
    return ours, theirs


def shares(text: str) -> dict[str, float]:
    """Parse the shares of train, dev and test.

    >>> shares("0.8,0,0.2")
    {'train': 0.8, 'dev': 0.0, 'test': 0.2}
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(SPLITS) or min(numbers, default=-1) < 0 or not 0.999 <= sum(numbers) <= 1.001 or not numbers[-1]:
        raise ArgumentTypeError(f"{text!r}: write three shares that add up to 1, such as 0.7,0.1,0.2; the last, for test, must not be 0")
    return dict(zip(SPLITS, numbers, strict=True))


def run(options: Namespace) -> int:
    if options.files:
        return make_task(options, options.files)
    if options.kind:
        raise WrongUse(f"--kind is for tasks: give the table with --from FILE, and a task such as {options.place}/reviews.")
    if not options.language:
        raise WrongUse("--language is required: a tag such as fo, sv, pt-BR.")
    from gluepot.data.scaffolding.suites import new_suite

    folder = Path(options.place)
    written = new_suite(folder, options.language, options.title, options.license or "unknown")
    if options.json:
        print_json({"suite": folder.resolve().name, "folder": str(folder.resolve()), "files": written})
        return 0
    print(f"{folder}: a suite with an example task, in {pluralize(len(written), 'file')}.")
    print_next(
        f"gluepot data check {_path(folder)}",
        f"gluepot evaluate majority {_path(folder)}",
        f"gluepot new {folder}/TASK --kind classification --from FILE.csv",
    )
    return 0


def make_task(options: Namespace, files: list[Path]) -> int:
    from gluepot.data.scaffolding.tasks import TaskSettings, new_task
    from gluepot.tasks.search_path import DECLARATION

    place = Path(options.place)
    if not options.kind:
        from gluepot.tasks import KINDS

        raise WrongUse(f"--kind is required: {', '.join(KINDS)}.")
    if not (place.parent / DECLARATION).is_file():
        raise WrongUse(
            f"{place.parent} is not a suite: it has no {DECLARATION}. Create one first: gluepot new {place.parent} --language fo"
        )
    settings = TaskSettings(
        options.kind,
        files,
        shares=options.split,
        group=options.group,
        fields=dict(options.field),
        language=options.language or "",
        title=options.title,
        license=options.license,
        seed=options.seed,
    )
    made = new_task(place.parent, place.name, settings)
    if options.json:
        print_json(made)
    else:
        print_task(made, place)
    return 0


def print_task(made: "NewTask", place: Path) -> None:
    for note in made.notes:
        print(f"  {note}")
    sizes = ", ".join(f"{split} {rows:,}" for split, rows in made.splits.items())
    print(f"{made.path}: {sizes}; {place}/task.toml, {place}/sheet.md, {place.parent}/data/{place.name}/")
    fields = pluralize(made.to_fill, "required field")
    print(f"To complete: {fields} in sheet.md; summary, domain, licence, citation and link in task.toml.")
    print_next(f"gluepot data check {_path(place)}", f"gluepot evaluate majority {_path(place.parent)}")


def print_next(*commands: str) -> None:
    print("next:")
    for command in commands:
        print(f"  {command}")


def _path(place: Path) -> str:
    """Return the path in a form that is recognised wherever a suite is named."""
    return str(place) if place.is_absolute() or str(place).startswith(".") else f"./{place}"
