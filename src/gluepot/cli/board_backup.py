"""Write everything of a board into one file: its tables, its files and its key. It may be served meanwhile."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.output import print_json
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to write, for your eyes alone: private data is in it")
    parser.add_argument("--dir", type=Path, help="the board's folder ($GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--replace", action="store_true", help="write over a file that is there")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import KEY, open_board

    if options.file.exists() and not options.replace:
        raise WrongUse(f"{options.file} is there already. Choose another name, or say --replace.")
    if not options.file.parent.is_dir():
        raise WrongUse(f"{options.file.parent} is no folder.")
    open_board(options.dir)
    from gluepot.board.backup.writing import write_backup

    made = write_backup(options.file, os.environ[KEY])
    size = options.file.stat().st_size
    if options.json:
        print_json({"file": str(options.file), "bytes": size, "tables": len(made.tables), "files": made.files})
    else:
        told = [pluralize(len(made.tables), "table"), pluralize(made.files, "file"), pluralize(size, "byte")]
        print(f"{options.file}: {', '.join(told)}.")
    return 0
