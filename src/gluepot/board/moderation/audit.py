"""The audit log: a hash chain, in which every event's digest covers the previous one, so that tampering is detected."""

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
"""Advisory lock for appending events: 'tral' in ASCII."""
FIRST = "0" * 64


def record(actor: str, action: str, subject: str, **details: Any) -> AuditEvent:
    """Append an event, within the transaction of the action that it records."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [TURN])
        last = AuditEvent.objects.order_by("-pk").values_list("digest", flat=True).first() or FIRST
        line = AuditEvent(at=timezone.now(), actor=actor, action=action, subject=subject, details=details, previous=last)
        line.digest = digest_of_event(line)
        line.save(force_insert=True)
    return line


def digest_of_event(line: AuditEvent) -> str:
    """Return the hash of an event's content and the previous event's digest."""
    at: datetime = line.at
    parts = [line.previous, at.isoformat(), line.actor, line.action, line.subject, line.details]
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


@dataclass(frozen=True)
class BrokenLink:
    """An event that breaks the hash chain."""

    number: int
    reason: str


def broken_links(lines: Iterator[AuditEvent]) -> Iterator[BrokenLink]:
    """Yield the events at which the log was tampered with."""
    previous = FIRST
    for line in lines:
        if line.previous != previous:
            yield BrokenLink(line.pk, "the line before it is missing or another one")
        if digest_of_event(line) != line.digest:
            yield BrokenLink(line.pk, "its content was changed")
        previous = line.digest
