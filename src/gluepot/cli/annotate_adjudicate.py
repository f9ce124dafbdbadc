"""List the items on which raters disagree, or add the keeper's own vote on one of them, which replaces no other vote."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.cli.console.output import console, plain, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("round", metavar="NAME")
    parser.add_argument("item", nargs="?", metavar="ITEM", help="the item to vote on (without it: list the items on which raters disagree)")
    parser.add_argument("answer", nargs="?", metavar="ANSWER", help="a label, a number, an option's number or text, tags")
    parser.add_argument("--question", help="the question to answer, if the round has several (default: the first)")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    if options.item is not None and options.answer is None:
        raise WrongUse(f"{options.item}: an answer is missing. Write `gluepot annotate adjudicate {options.round} {options.item} ANSWER`.")
    open_board(options.dir)
    from gluepot.board.rounds.opening import find_round
    from gluepot.board.rounds.votes.adjudication import adjudicate, disputed

    found = find_round(options.round)
    if options.item is not None:
        adjudicate(found, options.item, options.answer, options.question)
    rows = disputed(found)
    if options.json:
        print_json({"round": found.name, "disputed": rows})
        return 0
    screen = console()
    decided = sum(row.decided is not None for row in rows)
    screen.print(f"[bold]{plain(found.name)}[/]  {pluralize(len(rows), 'item')} on which raters disagree, {decided:,} decided\n")
    asked = [TableColumn("question", prose=True)] * bool(found.questions)
    table = Table(TableColumn("item"), *asked, TableColumn("votes", prose=True), TableColumn("yours"), keys=1)
    for row in rows:
        votes = ", ".join(f"{answer} × {count}" for answer, count in row.votes.items())
        table.add(row.item, *[row.question] * len(asked), votes, row.decided or "")
    table.print(screen)
    return 0
