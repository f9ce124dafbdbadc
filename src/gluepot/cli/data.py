"""Fetch, check, import or export the files of a suite."""

from argparse import ArgumentParser
from importlib import import_module

VERBS = {
    "fetch": "download a suite's official files",
    "check": "look for errors in a suite's files",
    "import": "create a task from a dataset folder",
    "export": "export a suite as a dataset for the Hugging Face Hub",
}


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="|".join(VERBS))
    for verb, summary in VERBS.items():
        module = import_module(f"gluepot.cli.data_{verb}")
        one = verbs.add_parser(verb, help=summary, description=module.__doc__)
        module.configure(one)
        one.set_defaults(run=module.run)
