"""The leaderboard: import results, serve it, take snapshots, export it as static files."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec

from gluepot.cli.console.signals import exit_code, raise_on_sigterm
from gluepot.errors import GluepotError

VERBS = {
    "serve": "start the database, the site and a worker",
    "worker": "start another worker, on this or another machine",
    "admin": "create a moderator",
    "rescore": "rescore all submissions to a suite after its data or scorer has changed",
    "audit": "verify the audit trail of decisions",
    "labels": "load the hidden answers of a suite",
    "import": "import results",
    "snapshot": "store a permanent copy of a page",
    "backup": "write a whole board to one file",
    "restore": "restore a board from a backup",
    "export": "write the public pages as static files",
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
    """Run one verb; a lost database or a missing library becomes an error message."""
    try:
        with raise_on_sigterm():
            return verb(options)
    except KeyboardInterrupt as told:
        print("gluepot: stopped; everything stored so far is kept.", file=sys.stderr)
        return exit_code(told)
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("gluepot"):
            raise
        raise GluepotError(f"the board needs an extra: pip install 'gluepot[board]' (no module named {error.name!r}).") from error
    except Exception as error:
        if "django.db" not in sys.modules:
            raise
        from gluepot.board.server.outages import explained, is_outage
        from gluepot.board.server.setup import board_folder

        if not is_outage(error):
            raise
        raise explained(error, board_folder(options.dir)) from error
