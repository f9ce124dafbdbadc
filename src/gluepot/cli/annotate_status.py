"""Show the state of a round: progress, current agreement, raters to look at."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.output import console, number, plain, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("round", metavar="NAME")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board
    from gluepot.cli.human import print_agreement

    open_board(options.dir)
    from gluepot.board.rounds.opening import find_round
    from gluepot.board.rounds.status import round_status

    status = round_status(find_round(options.round))
    if options.json:
        print_json(status)
        return 0
    screen = console()
    done = f"{status.done:,} of {pluralize(status.items, 'item')} complete"
    screen.print(f"[bold]{plain(status.name)}[/]  {status.votes_given:,} of {pluralize(status.votes_asked, 'vote')}, {done}\n")
    print_agreement(screen, status.agreement)
    figures = (TableColumn(name, figures=True) for name in ("votes", "agrees", "seconds", "controls", "repeats"))
    table = Table(TableColumn("rater"), *figures, TableColumn("to check", prose=True), keys=2)
    for row in status.table:
        pairs = (f"{pair[0]}/{pair[1]}" if pair else "" for pair in (row.controls, row.repeats))
        table.add(row.rater, f"{row.votes:,}", number(row.agreement, 2), number(row.seconds, 0), *pairs, row.look)
    table.print(screen)
    return 0
