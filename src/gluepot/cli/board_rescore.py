"""Rescore every submission to a suite after its data or scorer has changed. Old scores are kept, and a page lists the changes."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite, in its current version")
    parser.add_argument("--reason", required=True, help="what changed and why, in a sentence for the public")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    if not options.reason.strip():
        raise WrongUse("--reason: say what changed; it is shown on the page of changes and in e-mails.")
    open_board(options.dir)
    from gluepot.board.submitting.scoring.rescoring import begin_rescoring
    from gluepot.tasks.declarations import load_suite

    suite = load_suite(options.suite)
    _, count = begin_rescoring(suite, options.reason.strip())
    waiting = f"{pluralize(count, 'submission waits', 'submissions wait')} for a worker" if count else "there are no submissions"
    print(f"{suite.name} {suite.version}: {waiting}; changes are listed at /b/{suite.name}/changes.")
    return 0
