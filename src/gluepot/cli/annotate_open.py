"""Open a round to raters: store it in the board's database, create links, and serve the pages until Ctrl-C."""

import signal
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from gluepot.cli.board_serve import port
from gluepot.cli.console.numbers import bounded_int
from gluepot.errors import GluepotError, WrongUse

if TYPE_CHECKING:
    from gluepot.people.rounds.drawing import RoundPlan
    from gluepot.records import Task

USUAL_PORT = 8100


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("round", metavar="FILE|NAME", help="a round file, or the name of a round that was opened before")
    parser.add_argument("--raters", type=bounded_int(0, 1000), default=0, help="number of new links, one per rater")
    parser.add_argument("--revoke", nargs="+", default=[], metavar="RATER", help="revoke these raters' links")
    parser.add_argument("--links", type=Path, metavar="FILE", help="write the new links to FILE instead of printing them")
    parser.add_argument("--address", help="start of the links (default: this server's address)")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine only)")
    parser.add_argument("--port", type=port, help=f"port (default {USUAL_PORT}, or a free one if that is taken; 0: any free one)")


def run(options: Namespace) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    from gluepot.board.server.setup import open_board

    open_board(options.dir)
    from gluepot.board.rounds.opening import add_raters, find_round, open_round, revoke
    from gluepot.board.rounds.serving import serve_rounds
    from gluepot.board.server.database import use_role
    from gluepot.board.server.postgres.roles import ROUNDS

    path, keeper = Path(options.round), None
    if path.is_file():
        found, keeper = open_round(*_read(path))
    else:
        found = find_round(options.round)
    revoke(found, options.revoke)
    links = add_raters(found, options.raters)
    use_role(ROUNDS)

    def told(address: str) -> None:
        base = (options.address or address).rstrip("/")
        lines = [f"keeper  {base}/keeper/{keeper}"] if keeper else []
        lines += [f"{name}  {base}/r/{token}" for name, token in links]
        if options.links:
            options.links.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            options.links.chmod(0o600)
        print("\n".join([address, *([] if options.links else lines)]), flush=True)

    try:
        serve_rounds(options.host, [USUAL_PORT, 0] if options.port is None else [options.port], told)
    except KeyboardInterrupt:
        print("stopped; all answers are stored.", file=sys.stderr)
    return 0


def _read(path: Path) -> "tuple[RoundPlan, Task]":
    import msgspec

    from gluepot.people.rounds.drawing import RoundPlan
    from gluepot.tasks.declarations import find

    try:
        plan = msgspec.json.decode(path.read_bytes(), type=RoundPlan)
    except msgspec.DecodeError as error:
        raise GluepotError(f"{path}: not a round written by `gluepot annotate new`: {error}.") from error
    task = find(plan.task)[1]
    if task is None:
        raise WrongUse(f"{path}: {plan.task} is not a task.")
    return plan, task


def _leave(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
