"""The board: bring results onto it, serve it, keep pages as they are today, write it out as static files."""

from argparse import ArgumentParser
from importlib import import_module
from importlib.util import find_spec

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
        one.set_defaults(run=module.run)
