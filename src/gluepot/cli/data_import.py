"""Create a task from a dataset folder, as on the Hugging Face Hub: `gluepot new` from a folder."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.new import add_table_options, make_task
from gluepot.errors import WrongUse


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder with one file per split: Parquet, JSON Lines, JSON, CSV, TSV")
    parser.add_argument("place", metavar="DIR/TASK", help="the task to create, in a suite's folder")
    parser.add_argument("--language", help="language of the task (default: its suite's)")
    parser.add_argument("--title", default="", help="display name (default: from the folder's name)")
    parser.add_argument("--license", default="", help="SPDX licence identifier, such as CC-BY-4.0 (default: unknown)")
    add_table_options(parser, required=True)
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    if not options.folder.is_dir():
        remedy = f"gluepot new {options.place} --kind {options.kind} --from {options.folder}"
        raise WrongUse(f"{options.folder} is not a folder. From a file: {remedy}")
    return make_task(options, [options.folder])
