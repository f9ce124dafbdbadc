"""Write a whole board to one file: tables, files and key. The board can be running."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.output import print_json
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to write; keep it secret, it contains private data")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--replace", action="store_true", help="overwrite an existing file")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import KEY, open_board

    if options.file.exists() and not options.replace:
        raise WrongUse(f"{options.file} exists already. Choose another name, or pass --replace.")
    if not options.file.parent.is_dir():
        raise WrongUse(f"{options.file.parent} is not a folder.")
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
