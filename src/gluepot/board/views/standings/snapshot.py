"""Snapshot page: a standings table as of one day, with its citation."""

from dataclasses import replace

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from gluepot.board.models import Snapshot
from gluepot.board.server import addresses
from gluepot.board.standings.record import StandingsPage
from gluepot.board.standings.snapshots import encode_document
from gluepot.board.views import file_response, render_page
from gluepot.board.views.standings.overall_axis import axis_marks
from gluepot.board.views.standings.rows import bodies
from gluepot.board.views.standings.tables import write_table
from gluepot.statistics.rank_intervals import UNKNOWN

FOREVER = "public, max-age=31536000, immutable"


def find_snapshot(key: str) -> Snapshot:
    found = Snapshot.objects.filter(key=key).select_related("suite").first()
    if found is None:
        raise Http404(_("There is no snapshot “%(name)s” on this board.") % {"name": key})
    return found


def standings_of(snapshot: Snapshot) -> StandingsPage:
    """Return the stored standings with their citation; fields added by later versions have their defaults."""
    page = _with_best(msgspec.convert(snapshot.document, StandingsPage))
    board = f"{page.title} {page.version}, {page.split}"
    return replace(page, citation=f"{board}, snapshot {snapshot.key}, scored by {page.scorer}. {page.suite_citation}")


def _with_best(page: StandingsPage) -> StandingsPage:
    """Fill in the best values that earlier versions did not store; a snapshot has all rows."""
    if page.best is not None or any(task.best is not None for task in page.tasks):
        return page
    systems = [row for row in page.rows if row.role == "system"]
    known = {task.name: [cell for row in systems if (cell := row.scores[task.name]) is not None] for task in page.tasks}
    best = {name: max((cell.value for cell in cells if cell.verified and cell.ranked), default=None) for name, cells in known.items()}
    overall = [row.overall for row in systems if row.overall is not None and row.verified and row.rank and row.evidence != UNKNOWN]
    return replace(page, tasks=[replace(task, best=best[task.name]) for task in page.tasks], best=max(overall, default=None))


def view(request: HttpRequest, key: str, form: str | None = None) -> HttpResponse:
    snapshot = find_snapshot(key)
    page = standings_of(snapshot)
    if form == "json":
        response = file_response(encode_document(snapshot.document).decode(), "json")
    elif form == "csv":
        response = file_response(write_table(page, "csv"), "csv")
    else:
        files = [(name.upper(), f"{addresses.snapshot(key)}.{name}") for name in ("csv", "json")]
        now = addresses.board(page.suite, page.version, query=page.query)
        versioned = len(page.versions) > 1
        context = {"snapshot": snapshot, "files": files, "now": now, "bodies": bodies(page, intervals=True), "versioned": versioned}
        context |= axis_marks(page)
        context["width"] = len(page.tasks) + (5 if versioned else 4)
        response = render_page(request, page, "snapshot", None, **context)
    response.headers["Cache-Control"] = FOREVER
    return response
