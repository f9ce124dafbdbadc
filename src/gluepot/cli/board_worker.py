"""Start a worker that takes jobs from the board's queue, scores submissions and sends e-mails, until Ctrl-C."""

import signal
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.threads import use_one_thread
from gluepot.errors import WrongUse, unknown

QUEUES = ("scores", "letters", "programs")
"""Repeated here, because the module that defines them needs Django."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument(
        "--queues",
        default=",".join(QUEUES),
        metavar="NAMES",
        help="queues to work on, separated by commas: scores, letters, programs (default: all)",
    )
    parser.add_argument("--attached", action="store_true", help=SUPPRESS)


def run(options: Namespace) -> int:
    queues = [name for name in QUEUES if name in chosen_queues(options.queues)]
    use_one_thread()
    from gluepot.board.server.outages import is_outage
    from gluepot.board.server.postgres.roles import WORKER
    from gluepot.board.server.setup import open_board

    if options.attached:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C, and ends this worker
    folder = open_board(options.dir, role=WORKER, migrate=not options.attached)
    from gluepot.board.submitting.worker import work

    if not options.attached:
        print(f"worker for the board in {folder}; Ctrl-C stops it", flush=True)
    try:
        work(queues, until_closed=options.attached)
    except Exception as error:
        if options.attached and is_outage(error):  # the parent process reports the outage, and starts the worker again
            return 1
        raise
    if not options.attached:
        print("stopped; the next worker takes over unfinished jobs.", file=sys.stderr)
    return 0


def chosen_queues(text: str) -> list[str]:
    """Parse names of queues; raise WrongUse for an unknown one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in QUEUES:
            raise WrongUse(f"--queues: {unknown('queue', name, QUEUES)}")
    if not names:
        raise WrongUse(f"--queues: give at least one of {', '.join(QUEUES)}.")
    return names
