"""Export the votes of a round as votes.jsonl, for `gluepot human`."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.errors import WrongUse
from gluepot.plurals import pluralize


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("round", metavar="NAME")
    parser.add_argument("-o", "--out", type=Path, default=Path("votes.jsonl"), metavar="FILE", help="output file (default votes.jsonl)")
    parser.add_argument("--question", help="only the votes on this question")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    import msgspec

    from gluepot.board.server.setup import open_board
    from gluepot.files import write_atomically

    open_board(options.dir)
    from gluepot.board.rounds.opening import find_round
    from gluepot.board.rounds.status import round_votes

    votes = list(round_votes(find_round(options.round), options.question))
    if not votes:
        raise WrongUse(f"{options.round}: no votes yet.")
    write_atomically(options.out, msgspec.json.Encoder().encode_lines(votes))
    print(f"{options.out}: {pluralize(len(votes), 'vote')}")
    return 0
