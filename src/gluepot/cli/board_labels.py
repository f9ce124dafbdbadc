"""Load hidden answers: the labelled files of splits that a suite publishes without answers. Only workers can read them afterwards."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite, whose tasks declare these splits as unlabelled")
    parser.add_argument("folder", type=Path, help="the labelled files, named like the published ones")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    open_board(options.dir)
    from django.db import transaction

    from gluepot.board.moderation.audit import record
    from gluepot.board.submitting.hidden.labels import store_labels
    from gluepot.tasks.declarations import load_suite

    suite = load_suite(options.suite)
    with transaction.atomic():
        stored = store_labels(suite, options.folder)
        record(
            "command",
            "brought hidden answers",
            f"{suite.name} {suite.version}",
            tasks=[f"{task.name}/{split}" for task, split, _ in stored],
        )
    for task, split, count in stored:
        print(f"{task.path} {split}: {pluralize(count, 'answer')}")
    print(f"stored, readable by workers only; {options.folder} is no longer needed: remove it from this machine.")
    return 0
