"""Adds to the trail and proves it: every line's digest covers the line before, so that none is changed, removed or slipped in unseen."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from django.db import connection, transaction
from django.utils import timezone

from gluepot.board.moderation.models import AuditEvent

TURN = 0x7472616C
"""The lock of who adds a line: 'tral'."""
FIRST = "0" * 64


def record(actor: str, action: str, subject: str, **details: Any) -> AuditEvent:
    """One line, in the transaction of what it tells of."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TURN])
        last = AuditEvent.objects.order_by("-pk").values_list("digest", flat=True).first() or FIRST
        line = AuditEvent(at=timezone.now(), actor=actor, action=action, subject=subject, details=details, previous=last)
        line.digest = digest_of_event(line)
        line.save(force_insert=True)
    return line


def digest_of_event(line: AuditEvent) -> str:
    """Of everything in a line, and of the line before it."""
    at: datetime = line.at
    parts = [line.previous, at.isoformat(), line.actor, line.action, line.subject, line.details]
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


@dataclass(frozen=True)
class BrokenLink:
    """A line that does not follow from the one before it."""

    number: int
    reason: str


def broken_links(lines: Iterator[AuditEvent]) -> Iterator[BrokenLink]:
    """Where the trail was touched; nothing, if it was not."""
    previous = FIRST
    for line in lines:
        if line.previous != previous:
            yield BrokenLink(line.pk, "the line before it is missing or another one")
        if digest_of_event(line) != line.digest:
            yield BrokenLink(line.pk, "its content was changed")
        previous = line.digest
