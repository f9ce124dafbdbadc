"""Rate limits by account and by address: on uploads, whether accepted or not, and on API calls; and the storage limit of a team."""

import os
from collections import Counter
from datetime import timedelta
from threading import Lock
from time import time

from django.db import connection, transaction
from django.http import HttpRequest
from django.utils import timezone

from gluepot.board.accounts.models import Member
from gluepot.board.server.connections import visitor
from gluepot.board.submitting.models import Attempt, Upload

MINUTE = timedelta(minutes=1)
EACH = int(os.environ.get("GLUEPOT_UPLOADS_A_MINUTE", "60"))
"""Uploads per minute of one account; an address is allowed twice as many."""
ROOM = 2 * 2**30
"""Maximum total size of a team's submissions, in bytes."""


class TooManyUploads(Exception):
    """Raised when the rate limit on uploads is exceeded; `seconds` is the time until the next one is accepted."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many at once; the next one is taken in {seconds} s.")
        self.seconds = seconds


class CallLimit:
    """A limit on calls per minute by account and address, within this process; kept in memory because it runs on every call."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = Lock()
        self.minute, self.counts = 0, Counter[str]()

    def count(self, *who: str) -> None:
        """Count a call for each key, an account or an address; raises TooManyCalls if one of them exceeds the limit."""
        now = time()
        with self.lock:
            if int(now // 60) != self.minute:
                self.minute = int(now // 60)
                self.counts.clear()
            self.counts.update(who)
            if any(self.counts[one] > self.most for one in who):
                raise TooManyCalls(max(1, round(60 - now % 60)))


class TooManyCalls(TooManyUploads):
    """Raised when the rate limit on API calls is exceeded."""


CALLS = CallLimit(int(os.environ.get("GLUEPOT_CALLS_A_MINUTE", "600")))
"""The limit on API calls; uploads have their own limit."""


def address_of(request: HttpRequest) -> str:
    """Return the visitor's IPv4 address or IPv6 network."""
    try:
        return visitor(request.META.get("REMOTE_ADDR", ""))[:60]
    except ValueError:  # not an address
        return "unknown"


def count_attempt(member: Member, address: str) -> None:
    """Count an upload, or raise TooManyUploads. Uploads of an account are serialized by a lock, so that none escapes the count."""
    now = timezone.now()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [0x7570, member.pk])
        for found, most in ((Attempt.objects.filter(member=member), EACH), (Attempt.objects.filter(address=address), 2 * EACH)):
            times = list(found.filter(at__gt=now - MINUTE).order_by("-at").values_list("at", flat=True)[:most])
            if len(times) >= most:
                raise TooManyUploads(max(1, round((times[-1] + MINUTE - now).total_seconds())))
        Attempt.objects.filter(at__lt=now - timedelta(hours=1)).delete()
        Attempt.objects.create(member=member, address=address)


def has_room(team: int, size: int) -> bool:
    """Return whether a team may store this many more bytes."""
    from django.db.models import Sum

    used = Upload.objects.filter(team_id=team).aggregate(all=Sum("size"))["all"] or 0
    return int(used) + size <= ROOM
