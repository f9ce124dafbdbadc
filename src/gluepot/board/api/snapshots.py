"""Dated snapshots of pages."""

from typing import Any

from django.db.models import F
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router

from gluepot.board.api.paging import Key, PageParameters, Word, page_of
from gluepot.board.api.schemas import NOT_FOUND, NOT_VALID, SnapshotFacts, Snapshots
from gluepot.board.models import Snapshot

router = Router()


class SnapshotQuery(PageParameters):
    """Filters of the list of snapshots."""

    suite: Word = None
    version: Word = None


@router.get("/snapshots", response={200: Snapshots, **NOT_VALID}, summary="Snapshots")
def list_snapshots(request: HttpRequest, asked: Query[SnapshotQuery]) -> dict[str, Any]:
    """List the snapshots that match the filters, newest first."""
    rows = Snapshot.objects.order_by("-made", "-pk")
    if asked.suite is not None:
        rows = rows.filter(suite__name=asked.suite)
    if asked.version is not None:
        rows = rows.filter(suite__version=asked.version)
    shown = rows.values("key", "query", "made", name=F("suite__name"), version=F("suite__version"))
    page = page_of(request, shown, asked)
    return {**page, "items": [{**row, "suite": row["name"]} for row in page["items"]]}


@router.get("/snapshots/{key}", response={200: SnapshotFacts, **NOT_FOUND}, summary="A snapshot")
def one_snapshot(request: HttpRequest, key: Key) -> dict[str, Any]:
    """Return a snapshot with the content of its page on that day."""
    found = Snapshot.objects.select_related("suite").filter(key=key).first()
    if found is None:
        raise Http404(_("There is no snapshot “%(name)s” on this board.") % {"name": key})
    return {
        "key": found.key,
        "suite": found.suite.name,
        "version": found.suite.version,
        "query": found.query,
        "made": found.made,
        "document": found.document,
    }
