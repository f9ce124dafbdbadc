"""The page of a snapshot: a quality table as it was on a day, with how to cite it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from gluepot.board.drawing.formats import write_csv
from gluepot.board.models import Snapshot
from gluepot.board.pages import answer, file_answer
from gluepot.board.server import addresses
from gluepot.board.standings.ranking import INCOMPLETE, RANKED, REFERENCE
from gluepot.board.standings.snapshots import written
from gluepot.board.templatetags.shown import DASH, decimal, score, size, span
from gluepot.statistics.ranks import Rank

FOREVER = "public, max-age=31536000, immutable"
Record = Mapping[str, Any]


@dataclass(frozen=True)
class SnapshotPage:
    """Everything that the page of a snapshot shows."""

    key: str
    suite: str
    version: str
    title: str
    split: str
    query: str
    aggregate: str
    made: datetime
    systems: int
    shown: int
    citation: str
    document: Record

    @property
    def rows(self) -> list[Record]:
        found: list[Record] = self.document["rows"]
        return found

    @property
    def tasks(self) -> list[Record]:
        found: list[Record] = self.document["tasks"]
        return found


def snapshot_page(key: str) -> SnapshotPage:
    found = Snapshot.objects.filter(key=key).first()
    if found is None:
        raise Http404(_("There is no snapshot “%(name)s” on this board.") % {"name": key})
    told = found.document
    board = f"{told['title']} {told['version']}, {told['split']}"
    return SnapshotPage(
        key=found.key,
        suite=told["suite"],
        version=told["version"],
        title=told["title"],
        split=told["split"],
        query=told["query"],
        aggregate=told["aggregate"],
        made=found.made,
        systems=told["systems"],
        shown=told["shown"],
        citation=f"{board}, snapshot {key}, scored by {told['scorer']}. {told['suite_citation']}",
        document=told,
    )


def view(request: HttpRequest, key: str, form: str | None = None) -> HttpResponse:
    page = snapshot_page(key)
    if form == "json":
        response = file_answer(written(dict(page.document)).decode(), "json")
    elif form == "csv":
        response = file_answer(write_csv(*table(page)), "csv")
    else:
        here = addresses.snapshot(key)
        files = [(name.upper(), f"{here}.{name}") for name in ("csv", "json")]
        now = addresses.board(page.suite, page.version, query=page.query)
        response = answer(request, page, "snapshot", bodies=bodies(page), files=files, now=now, columns=7 + len(page.tasks))
    response.headers["Cache-Control"] = FOREVER
    return response


def bodies(page: SnapshotPage) -> list[tuple[str, SafeString]]:
    """The parts of the table as HTML; joined by hand like those of the quality page."""
    named = {name: [row for row in page.rows if row["section"] == name] for name in (REFERENCE, RANKED, INCOMPLETE)}
    return [(name, mark_safe("".join(_row(page, row) for row in rows))) for name, rows in named.items() if rows]  # noqa: S308  escaped there


def _row(page: SnapshotPage, row: Record) -> str:
    rank = Rank(row["rank"], row["rank_low"], row["rank_high"]) if row["rank"] else None
    shown = DASH if rank is None else str(rank) if rank.low is not None else str(rank.rank)
    name = f'<a href="{escape(addresses.system(row["slug"]))}">{escape(row["system"])}</a>'
    cells = [
        f'<td class="rank">{shown}</td><th scope="row">{name}</th><td class="word">{escape(row["family"] or DASH)}</td>',
        f"<td>{size(row['parameters'])}</td><td>{decimal(row['data_gigabytes'], 0)}</td>",
        f'<td class="overall">{_overall(page, row)}</td><td>{escape(row["coverage"])}</td>',
        *(f"<td>{_cell(row['scores'].get(task['name']))}</td>" for task in page.tasks),
    ]
    return f"<tr>{''.join(cells)}</tr>\n"


def _overall(page: SnapshotPage, row: Record) -> str:
    if row["overall"] is None:
        return DASH
    text = score(row["overall"]) if page.aggregate in ("mean", "min") else decimal(abs(row["overall"]), 2)
    return _marked(text, row["verified"], row["overall_low"], row["overall_high"])


def _cell(cell: Record | None) -> str:
    if cell is None:
        return DASH
    others = "".join(f"<small>{score(value)}</small>" for _metric, value in cell["others"])
    return _marked(score(cell["value"]), cell["verified"], cell["low"], cell["high"]) + others


def _marked(text: str, verified: bool, low: float | None, high: float | None) -> str:
    told = "" if verified else "ʳ"
    return f"{text}{told}<small>{span(low, high)}</small>" if low is not None else f"{text}{told}"


def table(page: SnapshotPage) -> tuple[list[str], list[list[Any]], list[str]]:
    """Head, rows and notes of the CSV file: the columns of the quality page's."""
    head = ["rank", "rank_low", "rank_high", "section", "system", "family", "parameters", "data_gigabytes"]
    head += ["overall", "overall_low", "overall_high", "coverage"]
    plain = list(head)
    for task in page.tasks:
        head += [f"{task['name']}:{metric}{end}" for metric in task["metrics"] for end in ("", ":low", ":high")] + [
            f"{task['name']}:verified"
        ]
    rows = [
        [row[name] for name in plain] + [cell for task in page.tasks for cell in _raw(task, row["scores"].get(task["name"]))]
        for row in page.rows
    ]
    return head, rows, [page.citation, f"query: {page.query or '(none)'}"]


def _raw(task: Record, cell: Record | None) -> list[Any]:
    if cell is None:
        return [None] * (3 * len(task["metrics"]) + 1)
    known = dict(cell["others"])
    ends = [part for metric in task["metrics"][1:] for part in (known.get(metric), None, None)]
    return [cell["value"], cell["low"], cell["high"], *ends, int(cell["verified"])]
