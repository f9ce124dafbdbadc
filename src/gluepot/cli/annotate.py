"""Annotation rounds: plan one, create it from a task, open it to raters, follow its progress, adjudicate, export the votes."""

from argparse import ArgumentParser
from functools import partial
from importlib import import_module

from gluepot.cli.board import run

VERBS = {
    "plan": "compute how many items and raters are needed",
    "new": "create a round from a task",
    "open": "serve a round to raters, with personal links",
    "status": "show progress, current agreement, and raters to look at",
    "adjudicate": "list items on which raters disagree, or vote on them",
    "export": "export the votes as votes.jsonl",
}


def configure(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="|".join(VERBS))
    for verb, summary in VERBS.items():
        module = import_module(f"gluepot.cli.annotate_{verb}")
        one = verbs.add_parser(verb, help=summary, description=module.__doc__)
        module.configure(one)
        one.set_defaults(run=module.run if verb in ("plan", "new") else partial(run, module.run))
