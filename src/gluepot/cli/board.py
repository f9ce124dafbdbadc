"""The board: bring results onto it, serve it, keep pages as they are today, write it out as static files."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec

from gluepot.cli.signals import TOLD_TO_END, ended_like_ctrl_c

VERBS = {
    "serve": "start the database and the site",
    "import": "bring results onto the board",
    "snapshot": "keep a page as it is today",
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
    """One verb; a database that goes away under it is a sentence."""
    try:
        with ended_like_ctrl_c():
            return verb(options)
    except KeyboardInterrupt as told:
        print("gluepot: stopped; what was stored before is kept.", file=sys.stderr)
        return TOLD_TO_END if told.args else 130
    except Exception as error:
        if "django.db" not in sys.modules:
            raise
        from gluepot.board.server.outages import explained, is_outage
        from gluepot.board.server.setup import board_folder

        if not is_outage(error):
            raise
        raise explained(error, board_folder(options.dir)) from error
