"""The files of a suite: fetch them, check them, take them from elsewhere, export them."""

from argparse import ArgumentParser
from importlib import import_module

VERBS = {
    "fetch": "get a suite's official files",
    "check": "look for what is wrong in a suite's files",
    "import": "take a data set's folder for a task of your own",
    "export": "write a suite as a dataset for the Hugging Face hub",
}


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="|".join(VERBS))
    for verb, summary in VERBS.items():
        module = import_module(f"gluepot.cli.data_{verb}")
        one = verbs.add_parser(verb, help=summary, description=module.__doc__)
        module.configure(one)
        one.set_defaults(run=module.run)
