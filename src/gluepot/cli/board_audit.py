"""Verify the audit trail of decisions, whose entries are chained by digests: exit code 1 if one was changed, removed or inserted."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gluepot.plurals import pluralize

MOST = 10


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--head", metavar="DIGEST", help="the digest printed by an earlier check, whose entry must still exist")
    parser.add_argument("--dir", type=Path, help="the board's folder (default: $GLUEPOT_BOARD, or one in your data folder)")


def run(options: Namespace) -> int:
    from gluepot.board.server.setup import open_board

    open_board(options.dir)
    from gluepot.board.moderation.audit import broken_links
    from gluepot.board.moderation.models import AuditEvent

    lines = AuditEvent.objects.order_by("pk")
    broken = list(broken_links(lines.iterator(chunk_size=1000)))
    for link in broken[:MOST]:
        print(f"entry {link.number}: {link.reason}.")
    if len(broken) > MOST:
        print(f"… and {len(broken) - MOST} more.")
    lost = bool(options.head) and not lines.filter(digest=options.head).exists()
    if lost:
        print(f"no entry has the digest {options.head}: the trail was truncated or replaced.")
    last = lines.last()
    if not broken and not lost:
        head = f"; the last digest is {last.digest}. Store it elsewhere and pass it to --head next time" if last else ""
        print(f"{pluralize(lines.count(), 'entry', 'entries')}, all chained correctly{head}.")
    return 1 if broken or lost else 0
