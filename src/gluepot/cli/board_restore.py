"""Restore a board from a backup, to a new folder or an empty database."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.output import print_json
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a file written by `gluepot board backup`")
    parser.add_argument("--dir", type=Path, help="the new board's folder ($GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import board_folder, keep_key, open_board

    if not options.file.is_file():
        raise WrongUse(f"{options.file} is not a file.")
    from gluepot.board.backup.archive import read_contents

    _, key = read_contents(options.file)
    folder = board_folder(options.dir)
    keep_key(folder, key)
    open_board(folder)
    from gluepot.board.backup.restoring import restore

    made = restore(options.file)
    if options.json:
        print_json({"folder": str(folder), "tables": len(made.tables), "files": made.files})
    else:
        print(f"{folder}: {pluralize(len(made.tables), 'table')} and {pluralize(made.files, 'file')} restored.")
    return 0
