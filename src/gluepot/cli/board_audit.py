"""Check the trail of decisions: every line must follow from the one before it. Ends with 1 if one was changed, removed or slipped in."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.plurals import pluralize

MOST = 10


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--head", metavar="DIGEST", help="the digest that an earlier check printed: its line must still be there")
    parser.add_argument("--dir", type=Path, help="the board's folder ($GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    open_board(options.dir)
    from gluepot.board.moderation.audit import broken_links
    from gluepot.board.moderation.models import AuditEvent

    lines = AuditEvent.objects.order_by("pk")
    broken = list(broken_links(lines.iterator(chunk_size=1000)))
    for link in broken[:MOST]:
        print(f"line {link.number}: {link.reason}.")
    if len(broken) > MOST:
        print(f"… and {len(broken) - MOST} more.")
    lost = bool(options.head) and not lines.filter(digest=options.head).exists()
    if lost:
        print(f"no line has the digest {options.head}: the end of the trail was cut off, or all of it is another one.")
    last = lines.last()
    if not broken and not lost:
        head = f"; the last one is {last.digest}. Keep that elsewhere, and give it to --head next time" if last else ""
        print(f"{pluralize(lines.count(), 'line')}, each follows from the one before{head}.")
    return 1 if broken or lost else 0
