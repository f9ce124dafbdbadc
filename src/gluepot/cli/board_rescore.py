"""Score every submission to a suite again, after its data or scorer changed: new scores beside the old ones; a page of what changed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite, as its files are now")
    parser.add_argument("--reason", required=True, help="what changed and why, in a sentence that everybody reads")
    parser.add_argument("--dir", type=Path, help="the board's folder ($GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    if not options.reason.strip():
        raise WrongUse("--reason: say what changed; it stands on the page of changes and in the letters.")
    open_board(options.dir)
    from gluepot.board.submitting.scoring.rescoring import begin_rescoring
    from gluepot.tasks.declarations import load_suite

    suite = load_suite(options.suite)
    _, count = begin_rescoring(suite, options.reason.strip())
    waiting = f"{pluralize(count, 'submission waits', 'submissions wait')} for a worker" if count else "there is no submission to it"
    print(f"{suite.name} {suite.version}: {waiting}; what changes stands at /b/{suite.name}/changes.")
    return 0
