"""Rounds of annotation: plan one, draw it from a task, open it to raters, look how it stands, decide what is disputed, take its votes."""

from argparse import ArgumentParser
from functools import partial
from importlib import import_module

from gluepot.cli.board import run

VERBS = {
    "plan": "how many items and raters an interval needs",
    "new": "draw a round from a task",
    "open": "serve a round to raters, one link each",
    "status": "progress, agreement so far, raters to look at",
    "adjudicate": "items on which raters disagree, and your own vote on them",
    "export": "the votes as votes.jsonl",
}


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="|".join(VERBS))
    for verb, summary in VERBS.items():
        module = import_module(f"gluepot.cli.annotate_{verb}")
        one = verbs.add_parser(verb, help=summary, description=module.__doc__)
        module.configure(one)
        one.set_defaults(run=module.run if verb in ("plan", "new") else partial(run, module.run))
