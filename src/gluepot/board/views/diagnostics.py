"""Diagnostics page: heat table of scores by category, item-level alignment of two translations, gender parity next to the score."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from gluepot.board.analysis.alignment import Alignment, CategoryOverlap, align
from gluepot.board.analysis.parity import Parities, parities_of
from gluepot.board.drawing.formats import WRITERS, Cell
from gluepot.board.drawing.heat import SHADES, Candidate, Diagnostic, HeatColumn, HeatRow, choose, diagnostics_of, heat
from gluepot.board.models import SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.templatetags.shown import score
from gluepot.board.views import file_response, find_version, render_page
from gluepot.board.views.links import file_links

ROOM = 6
"""Maximum number of systems shown."""
NARROW_ROOM = 3
"""Of these, the number that fits a phone without scrolling sideways."""
LONGEST = 200


@dataclass(frozen=True)
class DiagnosticsQuery:
    """Parsed query of the diagnostics page."""

    task: str = ""
    systems: tuple[str, ...] = ()
    beside: str = ""
    """Name of another suite with the same categories."""
    unknown: tuple[tuple[str, str], ...] = ()

    def query(self) -> str:
        """Return the canonical query string.

        >>> DiagnosticsQuery("diagnostics", ("svm", "bert"), "other").query()
        'task=diagnostics&s=svm,bert&with=other'
        """
        pairs = {"task": self.task, "s": ",".join(self.systems), "with": self.beside}
        return urlencode([*((name, text) for name, text in pairs.items() if text), *self.unknown], quote_via=quote, safe=",")


def parse_asked(query: str) -> DiagnosticsQuery:
    """Parse a query string; a form sends `s=a&s=b` where a link has `s=a,b`."""
    found: dict[str, str] = {}
    systems: list[str] = []
    unknown = []
    for name, text in parse_qsl(query) if query.count("&") < 100 else []:
        text = text.replace("\0", "").strip()
        if name == "s":
            systems += [slug.strip()[:LONGEST] for slug in text.split(",") if slug.strip()]
        elif name in ("task", "with"):
            found[name] = text[:LONGEST]
        elif text:
            unknown.append((name[:LONGEST], text[:LONGEST]))
    return DiagnosticsQuery(found.get("task", ""), tuple(dict.fromkeys(systems)), found.get("with", ""), tuple(dict.fromkeys(unknown)))


@dataclass(frozen=True)
class LinkedChoice:
    """An option and the address of the page that selects it."""

    name: str
    title: str
    address: str
    chosen: bool
    note: str = ""


@dataclass(frozen=True)
class Diagnostics:
    """Data shown on the diagnostics page."""

    suite: str
    version: str
    title: str
    query: str
    task: str
    task_title: str
    tasks: list[LinkedChoice]
    beside: list[LinkedChoice]
    """Suites available for a side-by-side comparison."""
    systems: list[LinkedChoice]
    columns: list[HeatColumn]
    rows: list[HeatRow]
    alignment: Alignment | None
    missing: str
    """Reason why a requested alignment is missing."""
    parities: list[Parities]
    left_out: list[str]
    """Requested systems beyond the limit of six."""
    unknown: list[str]


def diagnostics(version: SuiteVersion, asked: DiagnosticsQuery) -> Diagnostics:
    known = diagnostics_of(version)
    here = next((one for one in known if one.task.name == asked.task), known[0] if known else None)
    twins = _twins(version, here) if here else {}
    twin = twins.get(asked.beside)
    shown = _shown(here, twin, asked) if here else []
    columns, rows = heat(shown)
    alignment, missing = align(*shown[0], *shown[1]) if len(shown) == 2 else (None, "")

    def link(**changes: Any) -> str:
        return addresses.board(version.name, version.version, "diagnostics", replace(asked, unknown=(), **changes).query())

    chosen = {column.slug for column in columns}
    slugs = {one.slug for side in (here, twin) if side for one in side.candidates}
    return Diagnostics(
        suite=version.name,
        version=version.version,
        title=version.declaration["title"],
        query=asked.query(),
        task=here.task.name if here else "",
        task_title=here.task.title if here else "",
        tasks=[LinkedChoice(one.task.name, one.task.title, link(task=one.task.name, systems=(), beside=""), one is here) for one in known],
        beside=[
            LinkedChoice(name, other.version.declaration["title"], link(beside="" if name == asked.beside else name), other is twin)
            for name, other in twins.items()
        ],
        systems=[_choice(side, one, chosen) for side in (here, twin) if side for one in side.candidates],
        columns=columns,
        rows=rows,
        alignment=alignment,
        missing=missing,
        parities=parities_of(version),
        left_out=[slug for slug in asked.systems if slug in slugs and slug not in chosen],
        unknown=_unknown(asked, here, twin, slugs),
    )


def _twins(version: SuiteVersion, here: Diagnostic) -> dict[str, Diagnostic]:
    """Return diagnostics with the same categories by suite, from the newest version of each other suite."""
    found: dict[str, Diagnostic] = {}
    for other in SuiteVersion.objects.exclude(name=version.name).order_by("-pk"):
        if other.name not in found and any(_sliced_alike(task, here) for task in other.declaration["tasks"].values()):
            same = [one for one in diagnostics_of(other) if one.categories == here.categories]
            found |= {other.name: same[0]} if same else {}
    return found


def _sliced_alike(task: dict[str, Any], here: Diagnostic) -> bool:
    return set((task.get("slices") or {}).get("fields", ())) == here.categories


def _shown(here: Diagnostic, twin: Diagnostic | None, asked: DiagnosticsQuery) -> list[tuple[Diagnostic, list[Candidate]]]:
    if twin is None:
        return [(here, choose(here, asked.systems, ROOM))]
    named = [[slug for slug in asked.systems if any(one.slug == slug for one in side.candidates)] for side in (here, twin)]
    return [(here, choose(here, named[0], ROOM // 2)), (twin, choose(twin, named[1], ROOM // 2))]


def _choice(side: Diagnostic, one: Candidate, chosen: set[str]) -> LinkedChoice:
    return LinkedChoice(one.slug, one.name, "", one.slug in chosen, score(one.value))


def _unknown(asked: DiagnosticsQuery, here: Diagnostic | None, twin: Diagnostic | None, slugs: set[str]) -> list[str]:
    odd = [f"{name}={text}" for name, text in asked.unknown]
    odd += [f"task={asked.task}"] if asked.task and (here is None or here.task.name != asked.task) else []
    odd += [f"with={asked.beside}"] if asked.beside and twin is None else []
    return odd + [f"s={slug}" for slug in asked.systems if slug not in slugs]


@accepts_parameters("task", "s", "with", told=True)
def view(request: HttpRequest, suite: str, version: str, form: str | None = None) -> HttpResponse:
    found = find_version(suite, version)
    query = request.META.get("QUERY_STRING", "")
    asked = parse_asked(query)
    if form is None and asked.query() != query:
        return HttpResponseRedirect(addresses.board(found.name, found.version, "diagnostics", asked.query()))
    page = diagnostics(found, asked)
    if form in WRITERS:
        return file_response(WRITERS[form](*_table(page, shown=form != "csv")), form)
    files = file_links(page.suite, page.version, "diagnostics", page.query)
    swatches = [("below", "< 0"), *((f"heat-{shade}", f"{10 * shade}–{10 * shade + 10}") for shade in range(SHADES))]
    plain = addresses.board(page.suite, page.version, "diagnostics")
    narrow = _fit_narrow(page.columns)
    more = {
        "tasks": len({column.task for column in page.columns}),
        "heads": list(zip(page.columns, narrow, strict=True)),
        "lines": [(row, list(zip(row.cells, narrow, strict=True))) for row in page.rows],
        "narrow": sum(narrow) if sum(narrow) < len(narrow) else 0,
        "aligned": _shares(page.alignment),
        "items": addresses.task(page.suite, page.version, page.task),
    }
    return render_page(request, page, "diagnostics", form, asked=asked, files=files, swatches=swatches, plain=plain, **more)


def _shares(alignment: Alignment | None) -> list[tuple[CategoryOverlap, list[float]]]:
    rows = alignment.rows if alignment else []
    return [(row, [count / row.n for count in (row.both_right, row.only_first, row.only_second, row.both_wrong)]) for row in rows if row.n]


def _fit_narrow(columns: list[HeatColumn]) -> list[bool]:
    """Return for each column whether a phone shows it: the first ones of every task."""
    tasks = [column.task for column in columns]
    room = max(1, NARROW_ROOM // max(1, len(set(tasks))))
    return [tasks[:place].count(task) < room for place, task in enumerate(tasks)]


def _table(page: Diagnostics, *, shown: bool) -> tuple[list[str], list[list[Cell]], list[str]]:
    head, rows = ["category", "n"], list[list[Cell]]()
    for column in page.columns:
        head += [column.name] if shown else [f"{column.task}:{column.slug}", f"{column.slug}:low", f"{column.slug}:high"]
    for row in page.rows:
        cells: list[Cell] = [row.name, " / ".join(map(str, row.n))]
        for cell in row.cells:
            ends: list[Cell] = [] if shown else [cell.low if cell else None, cell.high if cell else None]
            cells += [score(cell.value) if shown and cell else cell.value if cell else None, *ends]
        rows.append(cells)
    return head, rows, [f"{page.title} {page.version}, {page.task_title}, by category; query: {page.query or '(none)'}"]
