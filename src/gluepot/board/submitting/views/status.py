"""Status page of the queue: waiting submissions and live workers, as HTML and as JSON for monitoring."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from gluepot.board.submitting.models import Upload, WorkerSeen
from gluepot.board.submitting.states import State
from gluepot.board.views import file_response

SEEN = timedelta(seconds=60)


@dataclass(frozen=True)
class QueueStatus:
    """Context of the page."""

    waiting: int
    scoring: int
    in_review: int
    proposed: int
    """Programs waiting for permission to run."""
    programs: int
    """Programs allowed to run, queued or running; counted apart, because they take long and delay nobody."""
    oldest: float | None
    """Waiting time of the oldest submission in seconds."""
    workers: int
    last_seen: datetime | None


def queue_status() -> QueueStatus:
    now = timezone.now()
    begun = Upload.objects.filter(state__in=[State.QUEUED, State.SCORING]).order_by("queued")
    waiting = begun.exclude(file="")  # those with predictions
    first = waiting.values_list("queued", flat=True).first()
    return QueueStatus(
        waiting=waiting.filter(state=State.QUEUED).count(),
        scoring=waiting.filter(state=State.SCORING).count(),
        in_review=Upload.objects.filter(state=State.REVIEW).count(),
        proposed=Upload.objects.filter(state=State.PROPOSED).count(),
        programs=begun.filter(file="").count(),
        oldest=round((now - first).total_seconds(), 1) if first else None,
        workers=WorkerSeen.objects.filter(at__gt=now - SEEN).count(),
        last_seen=WorkerSeen.objects.order_by("-at").values_list("at", flat=True).first(),
    )


def view(request: HttpRequest, form: str | None = None) -> HttpResponse:
    page = queue_status()
    if form == "json":
        return file_response(msgspec.json.encode(page).decode(), "json")
    return render(request, "submitting/status.html", {"page": page})
