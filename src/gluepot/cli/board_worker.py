"""Start a worker: it takes jobs from the board's queue, scores submissions and sends letters, until Ctrl-C."""

import signal
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, help="the board's folder ($GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--attached", action="store_true", help=SUPPRESS)


def run(options: Namespace) -> int:
    from gluepot.board.server.postgres.roles import WORKER
    from gluepot.board.server.setup import open_board

    if options.attached:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it is told, and ends it
    folder = open_board(options.dir, role=WORKER, migrate=not options.attached)
    from gluepot.board.submitting.worker import work

    if not options.attached:
        print(f"working for the board in {folder}; Ctrl-C stops it", flush=True)
    work(until_closed=options.attached)
    if not options.attached:
        print("stopped; what was begun is taken up by the next worker.", file=sys.stderr)
    return 0
