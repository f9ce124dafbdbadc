"""Export the public pages of the board as static files, in all languages, for any web server or CDN."""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from time import monotonic

from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.output import print_json
from gluepot.plurals import pluralize

SHOWN = 20
"""Maximum number of broken links shown."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("target", type=Path, metavar="DIR", help="output folder; an earlier export is replaced")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument(
        "--compare", type=bounded_int(0, 1000), default=15, metavar="N", help="best systems of each suite to compare pairwise (default 15)"
    )
    parser.add_argument("--jobs", type=bounded_int(1, 64), metavar="N", help="number of processes (default: number of CPUs, at most 8)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.postgres.roles import READER
    from gluepot.board.server.setup import open_board

    started = monotonic()
    open_board(options.dir, role=READER)
    from gluepot.board.export import export

    jobs = options.jobs or min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    done = export(options.target, lambda text: print(text, file=sys.stderr, flush=True), paired=options.compare, jobs=jobs)
    if options.json:
        print_json(done)
        return 0
    for number, (address, origin) in enumerate(done.broken.items()):
        if number < SHOWN:
            print(f"note: {origin} points to {address}, which is not a page; the text is kept without the link.", file=sys.stderr)
    if len(done.broken) > SHOWN:
        print(f"note: {SHOWN} of {len(done.broken):,} such links are shown; --json lists all.", file=sys.stderr)
    size = done.bytes / 1e6
    print(f"{pluralize(done.files, 'file')}, {size:,.1f} MB in {options.target}; {monotonic() - started:.1f} s.")
    return 0
