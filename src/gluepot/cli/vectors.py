"""Train word vectors."""

from argparse import ArgumentParser
from importlib import import_module

VERBS = {"train": "train word2vec, fastText or GloVe vectors on a corpus"}


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="|".join(VERBS))
    for verb, summary in VERBS.items():
        module = import_module(f"gluepot.cli.vectors_{verb}")
        one = verbs.add_parser(verb, help=summary, description=module.__doc__)
        module.configure(one)
        one.set_defaults(run=module.run)
