"""Start the board: database and web in one command, until Ctrl-C."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, help="the board's folder ($GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, default=8000, help="port (8000; 0: any free one)")
    parser.add_argument(
        "--import", dest="imported", action="append", default=[], type=Path, metavar="PATH", help="import this first; may be repeated"
    )
    parser.add_argument("--published", action="store_true", help="load the published results of the declared suites first")


def run(options: Namespace) -> int:
    from gluepot.board.place import open_board

    folder = open_board(options.dir)
    if options.imported or options.published:
        from gluepot.board.importing import import_paths, import_published

        if options.published:
            import_published(tell)
        if options.imported:
            import_paths(options.imported, None, tell)
    from gluepot.board.serving import serve

    serve(options.host, options.port, lambda address: tell(f"{address}  (board in {folder}; Ctrl-C stops it)"))
    return 0


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
