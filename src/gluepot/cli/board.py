"""The board: bring results onto it, serve it, keep pages as they are today, write it out as static files."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec

from gluepot.cli.console.signals import ended_like_ctrl_c, exit_code
from gluepot.errors import GluepotError

VERBS = {
    "serve": "start the database, the site and a worker",
    "worker": "one more worker, on this or another machine",
    "admin": "make a moderator",
    "rescore": "score all submissions to a suite again, after its data or scorer changed",
    "audit": "check that the trail of decisions was not touched",
    "labels": "bring the answers to splits that are published without them",
    "import": "bring results onto the board",
    "snapshot": "keep a page as it is today",
    "backup": "everything of a board in one file",
    "restore": "a board from such a file",
    "export": "write the public side as static files",
}


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="|".join(VERBS))
    for verb, summary in VERBS.items():
        if find_spec(f"gluepot.cli.board_{verb}") is None:
            continue
        module = import_module(f"gluepot.cli.board_{verb}")
        one = verbs.add_parser(verb, help=summary, description=module.__doc__)
        module.configure(one)
        one.set_defaults(run=partial(run, module.run))


def run(verb: Callable[[Namespace], int], options: Namespace) -> int:
    """One verb; a database that goes away under it is a sentence, and so is a library that was never there."""
    try:
        with ended_like_ctrl_c():
            return verb(options)
    except KeyboardInterrupt as told:
        print("gluepot: stopped; what was stored before is kept.", file=sys.stderr)
        return exit_code(told)
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("gluepot"):
            raise
        raise GluepotError(f"the board needs its extra: pip install 'gluepot[board]' (no module named {error.name!r}).") from error
    except Exception as error:
        if "django.db" not in sys.modules:
            raise
        from gluepot.board.server.outages import explained, is_outage
        from gluepot.board.server.setup import board_folder

        if not is_outage(error):
            raise
        raise explained(error, board_folder(options.dir)) from error
