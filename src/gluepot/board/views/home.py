"""Front page: search for a model by use, language and size; suites with their leaders; recent imports."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from gluepot.board.analysis.coverage import CoveredType, coverage, draw_coverage
from gluepot.board.analysis.finding_tests import ScoredTask, find_tests, languages_tested, list_scored_tasks, types_tested
from gluepot.board.drawing.marks import Axis, make_axis, widened
from gluepot.board.models import Entry, Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.record import RANKED, StandingsRow
from gluepot.board.standings.score_matrix import stored_suite
from gluepot.board.standings.state import State, read_size
from gluepot.board.templatetags.shown import decimal
from gluepot.board.views import render_page
from gluepot.board.views.languages import language_name
from gluepot.tasks.texts import FALLBACK, suite_summary, type_label

SIZES = ("", "150M", "500M", "1B", "8B", "70B")
LEADERS = 8
"""Systems in the thumbnail plot of a suite."""
NEWS = 8


@dataclass(frozen=True)
class SuiteListing:
    """A suite version in the list of suites."""

    title: str
    version: str
    language: str
    summary: str
    address: str
    systems: int
    tasks: int
    leader: str | None
    overall: float | None
    tied: int
    measured: int
    competing: int
    leaders: list[tuple[str, float, float | None, float | None, bool]] = field(default_factory=list)
    """Name, value, ends of its interval, whether it may be the best."""


@dataclass(frozen=True)
class News:
    """Imports of one day for one suite."""

    day: date
    suite: str
    address: str
    entries: int
    systems: int


@dataclass(frozen=True)
class Home:
    """Data shown on the front page."""

    suites: list[SuiteListing]
    uses: dict[str, str]
    languages: dict[str, str]
    coverage: list[CoveredType]
    recomputed: int
    scores: int
    news: list[News]
    asked: str = ""
    """Description of a query that no task matches."""
    nearest: list[ScoredTask] = field(default_factory=list)


def home(asked: str = "", nearest: list[ScoredTask] | None = None) -> Home:
    language = get_language() or FALLBACK
    versions = list(SuiteVersion.objects.order_by("name", "-pk"))
    current = Score.objects.filter(current=True, slice="", value__isnull=False)
    places = list_scored_tasks(versions)
    uses = {name: type_label(name, language) for name in types_tested(places)}
    languages = {code: language_name(code) for code in languages_tested(places)}
    return Home(
        sorted(map(_shelf, versions), key=lambda suite: (-suite.measured, -suite.systems)),
        uses,
        languages,
        coverage(places, uses, languages),
        current.filter(verified=True).count(),
        current.count(),
        _news(),
        asked,
        nearest or [],
    )


def _shelf(version: SuiteVersion) -> SuiteListing:
    page = make_standings(version, State())
    ranked = page.section(RANKED)
    leader = next(iter(ranked), None)
    return SuiteListing(
        page.title,
        version.version,
        language_name(version.declaration["language"]),
        suite_summary(stored_suite(version), get_language() or FALLBACK),
        addresses.board(version.name, version.version),
        page.systems,
        len(page.tasks),
        leader.system if leader else None,
        leader.overall if leader else None,
        page.tied_with_best,
        page.with_intervals,
        page.competing,
        [_leading(row) for row in ranked[:LEADERS] if row.overall is not None],
    )


def _leading(row: StandingsRow) -> tuple[str, float, float | None, float | None, bool]:
    return row.system, row.overall or 0.0, row.overall_low, row.overall_high, row.evidence != "none" and row.rank_low == 1


def _news() -> list[News]:
    """Return the most recent days with imports, by suite."""
    rows = Entry.objects.filter(superseded=False).select_related("suite").order_by("-imported")[:2000]
    counts: Counter[tuple[date, int]] = Counter()
    systems: dict[tuple[date, int], set[int]] = {}
    suites = {}
    for row in rows.only("imported", "system_id", "suite__name", "suite__version", "suite__declaration"):
        key = row.imported.date(), row.suite_id
        counts[key] += 1
        systems.setdefault(key, set()).add(row.system_id)
        suites[row.suite_id] = row.suite
    made = [
        News(
            day,
            suites[suite].declaration["title"],
            addresses.board(suites[suite].name, suites[suite].version),
            count,
            len(systems[day, suite]),
        )
        for (day, suite), count in counts.items()
    ]
    return sorted(made, key=lambda one: (one.day, one.systems), reverse=True)[:NEWS]


@accepts_parameters("what", "in", "max")
def view(request: HttpRequest) -> HttpResponse:
    """Render the page, or redirect a query to the board that answers it."""
    what, code, most = (request.GET.get(name, "").replace("\0", "").strip()[:50] for name in ("what", "in", "max"))
    if not what and not code:
        return _page(request, home())
    found, nearest = find_tests(list(SuiteVersion.objects.order_by("name", "-pk")), what, code)
    if found is None:
        words = f"{type_label(what, get_language() or FALLBACK) if what else '…'}, {language_name(code) if code else '…'}"
        return _page(request, home(words, nearest))
    try:
        largest = read_size(most) if most else None
    except ValueError:
        largest = None
    query = State(only=found.task, largest=largest).query()
    return HttpResponseRedirect(addresses.board(found.suite, found.version, query=query))


def _page(request: HttpRequest, page: Home) -> HttpResponse:
    drawings = [draw_leaders(suite) for suite in page.suites]
    sizes = [(size, size or _("any size")) for size in SIZES]
    share = round(100 * page.recomputed / page.scores) if page.scores else 0
    more: dict[str, Any] = {"shelves": list(zip(page.suites, drawings, strict=True)), "sizes": sizes, "share": share}
    more["covered"] = draw_coverage(page.coverage)
    more["nearest"] = [(place, language_name(place.language)) for place in page.nearest]
    more |= {f"asked_{name}": request.GET.get(key, "") for name, key in (("use", "what"), ("language", "in"), ("size", "max"))}
    return render_page(request, page, "home", None, **more)


def draw_leaders(suite: SuiteListing) -> SafeString:
    """Draw the leading systems of a suite on an axis of their own: dots with intervals, open circles where the interval is unknown."""
    ends = [end for _name, _value, low, high, _best in suite.leaders for end in (low, high) if end is not None]
    axis = make_axis([value for _name, value, *_rest in suite.leaders], ends)
    if axis is None:
        return SafeString("")
    wide = widened(axis, min(value for _name, value, *_rest in suite.leaders))
    height = 8 * len(suite.leaders) + 26
    marks = [_mark(wide, number, *leader[1:]) for number, leader in enumerate(suite.leaders)]
    lines = format_html_join(
        "",
        '<line class="grid" x1="{0}%" x2="{0}%" y1="0" y2="{1}"/><text x="{0}%" y="{2}" text-anchor="middle">{3}</text>',
        ((wide.at(tick), height - 18, height - 4, decimal(100 * tick, wide.digits)) for tick in wide.ticks),
    )
    return format_html(
        '<svg class="leaders" width="100%" height="{}" role="img" aria-label="{}">{}{}</svg>',
        height,
        _("The leading systems of %(suite)s with their intervals") % {"suite": suite.title},
        lines,
        SafeString("".join(marks)),
    )


def _mark(axis: Axis, number: int, value: float, low: float | None, high: float | None, best: bool) -> str:
    y, middle = 8 * number + 6, axis.at(value)
    if low is None or high is None:
        return f'<circle class="open" cx="{middle}%" cy="{y}" r="3"/>'
    line = f'<line class="iv" x1="{axis.at(max(low, axis.low))}%" x2="{axis.at(min(high, axis.high))}%" y1="{y}" y2="{y}"/>'
    return f'<g{"" if best else " class=out"}>{line}<circle class="pt" cx="{middle}%" cy="{y}" r="3"/></g>'
