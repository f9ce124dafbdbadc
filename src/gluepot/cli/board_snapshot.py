"""Store a permanent, dated copy of a suite's quality page, for citation and comparison."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.output import print_json
from gluepot.errors import WrongUse, unknown


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("suite", help="the suite's name")
    parser.add_argument("--version", help="its version (default: the newest on the board)")
    parser.add_argument(
        "--query", default="", metavar="'split=dev'", help="the query string of the page: what follows the ? in its address"
    )
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    open_board(options.dir)
    from gluepot.board.models import SuiteVersion
    from gluepot.board.standings.snapshots import take_snapshot

    found = SuiteVersion.objects.filter(name=options.suite).order_by("-pk")
    if not found:
        known = SuiteVersion.objects.values_list("name", flat=True).distinct()
        raise WrongUse(
            f"this board has {unknown('suite', options.suite, known)}" if known else "this board is empty: import something first."
        )
    version = found.filter(version=options.version).first() if options.version else found.first()
    if version is None:
        raise WrongUse(f"{options.suite}: this board has {unknown('version', options.version, [one.version for one in found])}")
    made = take_snapshot(version, options.query.removeprefix("?"))
    if options.json:
        print_json({"key": made.key, "suite": version.name, "version": version.version, "query": made.query, "path": f"/snap/{made.key}"})
    else:
        print(f"{made.key}  /snap/{made.key}")
    return 0
