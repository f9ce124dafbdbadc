"""How many uploads may come in a minute, from one account and from one address, whatever becomes of them."""

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
"""Of an account; of an address twice as many."""
ROOM = 2 * 2**30
"""Bytes of all submissions of a team."""


class TooManyUploads(Exception):
    """Come again in so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many at once; the next one is taken in {seconds} s.")
        self.seconds = seconds


class CallLimit:
    """So many calls in a minute of one account or address, in this process; counted in memory, because every call is."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = Lock()
        self.minute, self.counts = 0, Counter[str]()

    def count(self, *who: str) -> None:
        """One more call, of an account and from an address; refused if either has had too many."""
        now = time()
        with self.lock:
            if int(now // 60) != self.minute:
                self.minute = int(now // 60)
                self.counts.clear()
            self.counts.update(who)
            if any(self.counts[one] > self.most for one in who):
                raise TooManyCalls(max(1, round(60 - now % 60)))


class TooManyCalls(TooManyUploads):
    """Come again in so many seconds."""


CALLS = CallLimit(int(os.environ.get("GLUEPOT_CALLS_A_MINUTE", "600")))
"""Of programs; uploads are counted for themselves."""


def address_of(request: HttpRequest) -> str:
    """The visitor's address, or network of IPv6."""
    try:
        return visitor(request.META.get("REMOTE_ADDR", ""))[:60]
    except ValueError:  # no address at all
        return "unknown"


def count_attempt(member: Member, address: str) -> None:
    """Count one more upload, or refuse it; one after the other of an account, so that none slips by."""
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
    """Whether a team may store so many bytes more."""
    from django.db.models import Sum

    used = Upload.objects.filter(team_id=team).aggregate(all=Sum("size"))["all"] or 0
    return int(used) + size <= ROOM
