"""Serve the board: database, site and workers in one command, until Ctrl-C."""

import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from types import FrameType

from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.signals import Interrupt
from gluepot.cli.console.threads import use_one_thread

USUAL_PORT = 8000


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine only)")
    parser.add_argument("--port", type=port, help=f"port (default {USUAL_PORT}, or a free one if that is taken; 0: any free one)")
    parser.add_argument(
        "--workers", type=bounded_int(0, 64), default=1, help="number of workers that score submissions and send e-mails (default 1)"
    )


def port(text: str) -> int:
    if not (text.isdecimal() and len(text) < 6 and int(text) < 2**16):
        raise ArgumentTypeError(f"{text[:20]} is not a port: 0 to {2**16 - 1}")
    return int(text)


def run(options: Namespace) -> int:
    use_one_thread()
    from gluepot.board.server.postgres.roles import SITE
    from gluepot.board.server.setup import open_board

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    folder = open_board(options.dir, role=SITE)
    from gluepot.board.server.serving import serve
    from gluepot.board.server.workers import Workers

    workers = Workers(folder, options.workers)
    ports = [USUAL_PORT, 0] if options.port is None else [options.port]
    try:
        serve(options.host, ports, lambda address: print(f"{address}  (board in {folder}; Ctrl-C stops it)", flush=True))
    finally:
        workers.close()
    print("stopped; all data are stored.", file=sys.stderr)
    return 0


def _leave(number: int, frame: FrameType | None) -> None:
    """Handle a termination signal like Ctrl-C."""
    raise Interrupt
