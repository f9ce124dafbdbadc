"""Take a data set's folder, as the Hugging Face hub has them, for a task of a suite of your own: `gluepot new` from a folder."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.new import add_table_options, make_task
from gluepot.errors import WrongUse


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with a file a split: Parquet, JSON Lines, JSON, CSV, TSV")
    parser.add_argument("place", metavar="DIR/TASK", help="the task to make, in a suite's folder")
    parser.add_argument("--language", help="the task's language (default: its suite's)")
    parser.add_argument("--title", default="", help="what people call it (default: from the folder's name)")
    parser.add_argument("--license", default="", help="as SPDX calls it: CC-BY-4.0, CC0-1.0 (default unknown)")
    add_table_options(parser, required=True)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    if not options.folder.is_dir():
        remedy = f"gluepot new {options.place} --kind {options.kind} --from {options.folder}"
        raise WrongUse(f"{options.folder} is no folder. From a file: {remedy}")
    return make_task(options, [options.folder])
