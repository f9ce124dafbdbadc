"""Add a run's scores, with their intervals and the exact command, to a model's README; to the Hub only with --hub."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gluepot.cli.console.output import console, print_json
from gluepot.plurals import pluralize

if TYPE_CHECKING:
    from gluepot.reporting.model_cards import CardScores


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run_folder", type=Path, metavar="RUN")
    parser.add_argument("--to", type=Path, metavar="FILE", help="the README or its folder (default: the one in the model's folder)")
    parser.add_argument("--hub", metavar="NAME", help="also update the card of this model on the Hugging Face Hub (org/model)")
    parser.add_argument("--dry-run", action="store_true", help="print the card without writing it")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.reporting.model_cards import card_scores, find_card, make_card, push_to_hub, read_card, write_card
    from gluepot.runs.storage.store import RunFolder

    folder = RunFolder(options.run_folder)
    found = card_scores(folder)
    if options.hub and options.to is None and not options.dry_run:
        _tell(options, found, push_to_hub(options.hub, found))
        return 0
    path = find_card(folder, options.to.expanduser() if options.to else None)
    if options.dry_run:
        sys.stdout.write(make_card(read_card(path), found))
        return 0
    write_card(path, found)
    _tell(options, found, str(path), *([push_to_hub(options.hub, found)] if options.hub else []))
    return 0


def _tell(options: Namespace, found: "CardScores", *places: str) -> None:
    if options.json:
        print_json({"written": list(places), "card": found})
        return
    for place in places:
        console().print(f"{place}: {pluralize(len(found.scores), 'score')} of {found.suite}.", markup=False)
