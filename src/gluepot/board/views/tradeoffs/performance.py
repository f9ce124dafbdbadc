"""Performance page: quality, speed and memory in one plot, and the same data as a table."""

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gluepot.board.analysis.performance import MeasuredQuantity, Point, ProfileMeasurements, load_bench, make_points, profiles_of
from gluepot.board.drawing.formats import WRITERS, Cell
from gluepot.board.drawing.plots import Bubble, ErrorBar, PlotAxis, bubble_plot
from gluepot.board.models import SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.standings.revisions import revision
from gluepot.board.standings.score_matrix import ScoreMatrix, load_score_matrix, stored_suite
from gluepot.board.templatetags.shown import DASH, amount, decimal, number, score
from gluepot.board.views import file_response, find_version, render_page
from gluepot.board.views.links import file_links
from gluepot.board.views.tradeoffs.membership import membership_text
from gluepot.records import Suite

LONGEST = 300


@dataclass(frozen=True)
class PerformanceQuery:
    """Parsed query of the performance page."""

    profile: str = ""
    tasks: tuple[str, ...] = ()
    """If empty, the tasks averaged by the suite's publisher, or a default set."""
    swap: bool = False
    unknown: tuple[tuple[str, str], ...] = ()

    def query(self) -> str:
        """Return the canonical query string.

        >>> PerformanceQuery("one GPU", ("nli", "qa"), True).query()
        'profile=one%20GPU&task=nli,qa&swap=1'
        """
        pairs = {"profile": self.profile, "task": ",".join(self.tasks), "swap": "1" if self.swap else ""}
        return urlencode([*((name, text) for name, text in pairs.items() if text), *self.unknown], quote_via=quote, safe=",")


def parse_asked(query: str) -> PerformanceQuery:
    """Parse a query string; a form sends `task=a&task=b` where a link has `task=a,b`."""
    asked, tasks, unknown = PerformanceQuery(), list[str](), list[tuple[str, str]]()
    for name, text in parse_qsl(query) if query.count("&") < 100 else []:
        text = text.replace("\0", "").strip()[:LONGEST]
        if name == "task":
            tasks += [task.strip() for task in text.split(",") if task.strip()]
        elif name == "profile":
            asked = replace(asked, profile=text)
        elif name == "swap" and text in ("0", "1"):
            asked = replace(asked, swap=text == "1")
        elif text:
            unknown.append((name[:LONGEST], text))
    return replace(asked, tasks=tuple(dict.fromkeys(tasks)), unknown=tuple(dict.fromkeys(unknown)))


@dataclass(frozen=True)
class Detail:
    """Measurements of a system on a task."""

    system: str
    task: str
    throughput: MeasuredQuantity | None
    memory: MeasuredQuantity | None


@dataclass(frozen=True)
class Performance:
    """Data shown on the performance page."""

    suite: str
    version: str
    title: str
    query: str
    profile: str
    hardware: str
    profiles: dict[str, int]
    tasks: list[str]
    """Tasks with scores and with both measurements of at least one system."""
    chosen: list[str]
    averaged: bool
    """Whether the chosen tasks are those averaged by the suite's publisher."""
    swapped: bool
    points: list[Point] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(default_factory=dict)
    """Systems that are not plotted, with the tasks that they lack."""
    details: list[Detail] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def performance(version: SuiteVersion, asked: PerformanceQuery) -> Performance:
    at = revision()
    suite, profiles = stored_suite(version), profiles_of(version, at)
    profile = asked.profile if asked.profile in profiles else next(iter(profiles), "")
    bench, scores = load_bench(version, profile, at), load_score_matrix(version, suite.score_split, at)
    tasks = [name for name in suite.tasks if scores.column(name) and any(name in bench.tasks(pk) for pk in bench.systems)]
    usual = usual_tasks(suite, bench, tasks)
    chosen = [name for name in suite.tasks if name in asked.tasks and name in tasks] or usual
    points, lacking = make_points(bench, scores, chosen) if chosen else ([], {})
    return Performance(
        suite=suite.name,
        version=suite.version,
        title=suite.title,
        query=asked.query(),
        profile=profile,
        hardware=str(suite.protocol.get("efficiency", {}).get("hardware", "")),
        profiles=profiles,
        tasks=tasks,
        chosen=chosen,
        averaged=set(chosen) == set(_averaged(suite)),
        swapped=asked.swap,
        points=points,
        lacking=lacking,
        details=_details(bench, scores, tasks),
        unknown=_unknown(asked, profiles, tasks),
    )


def _averaged(suite: Suite) -> list[str]:
    return list(suite.protocol.get("efficiency", {}).get("averaged", []))


def usual_tasks(suite: Suite, bench: ProfileMeasurements, tasks: list[str]) -> list[str]:
    """Return the tasks averaged by the publisher, else those measured for every system, else the most measured one."""
    declared = [name for name in tasks if name in _averaged(suite)]
    if declared:
        return declared
    measured = [bench.tasks(pk) for pk in bench.systems]
    common = [name for name in tasks if all(name in one for one in measured)]
    return common or sorted(tasks, key=lambda name: -sum(name in one for one in measured))[:1]


def _details(bench: ProfileMeasurements, scores: ScoreMatrix, tasks: list[str]) -> list[Detail]:
    return [
        Detail(system.name, task, bench.cells.get((pk, task, "throughput")), bench.cells.get((pk, task, "memory")))
        for pk, system in bench.systems.items()
        for task in dict.fromkeys([*tasks, *bench.tasks(pk)])
    ]


def _unknown(asked: PerformanceQuery, profiles: dict[str, int], tasks: list[str]) -> list[str]:
    odd = [f"{name}={text}" for name, text in asked.unknown]
    odd += [f"profile={asked.profile}"] if asked.profile and asked.profile not in profiles else []
    return odd + [f"task={task}" for task in asked.tasks if task not in tasks]


@accepts_parameters("task", "profile", "swap", told=True)
def view(request: HttpRequest, suite: str, version: str, form: str | None = None) -> HttpResponse:
    found = find_version(suite, version)
    query = request.META.get("QUERY_STRING", "")
    asked = parse_asked(query)
    if form is None and asked.query() != query:
        return HttpResponseRedirect(addresses.board(found.name, found.version, "performance", asked.query()))
    page = performance(found, asked)
    if form in WRITERS:
        return file_response(WRITERS[form](*_table(page, shown=form != "csv")), form)
    return render_page(request, page, "performance", form, **({} if form else _context(page, asked)))


def _context(page: Performance, asked: PerformanceQuery) -> dict[str, Any]:
    def link(**changes: Any) -> str:
        return addresses.board(page.suite, page.version, "performance", replace(asked, unknown=(), **changes).query())

    return {
        "plot": draw(page) if page.points else "",
        "largest": max((point.memory.value for point in page.points), default=None),
        "plain": link(profile="", tasks=(), swap=False),
        "swap": link(swap=not asked.swap),
        "everything": link(tasks=tuple(page.tasks)),
        "files": file_links(page.suite, page.version, "performance", page.query),
        "tasks": [(name, name in page.chosen, link(tasks=(name,))) for name in page.tasks],
        "rows": _by_system(page),
        "measured": list(dict.fromkeys(one.task for one in page.details)),
    }


def _by_system(page: Performance) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return one row per system and one cell per task, with throughput and memory formatted."""
    tasks = list(dict.fromkeys(one.task for one in page.details))
    found = {(one.system, one.task): one for one in page.details}
    names = dict.fromkeys(one.system for one in page.details)
    blank = Detail("", "", None, None)
    cells = {name: [found.get((name, task), blank) for task in tasks] for name in names}
    return [(name, [(beside(one.throughput, 0), beside(one.memory, 2)) for one in row]) for name, row in cells.items()]


def beside(measured: MeasuredQuantity | None, digits: int) -> str:
    """Format a quantity, with the published value if it differs, and an asterisk if there is a note.

    >>> beside(MeasuredQuantity(164.9, reported=165.0), 0), beside(MeasuredQuantity(2.391, reported=2.93, notes={"RCB": "unstable"}), 2)
    ('165', '2.39* (2.93)')
    """
    if measured is None:
        return DASH
    ours, theirs = (DASH if one is None else number(round(one, digits), digits) for one in (measured.value, measured.reported))
    marked = f"{ours}*" if measured.notes else ours
    return marked if measured.reported is None or ours == theirs else f"{marked} ({theirs})"


def _tick(value: float) -> str:
    """Format a round number with no more decimals than needed."""
    return number(round(value)) if value >= 1 and value == round(value) else decimal(value, 1 if value >= 1 else 2)


def draw(page: Performance) -> SafeString:
    """Draw the plot."""
    quality = PlotAxis(
        _("Quality: mean of the tasks, × 100") if len(page.chosen) > 1 else _("Quality, × 100"), lambda value: decimal(value, 0)
    )
    speed = PlotAxis(_("Throughput: records a second, logarithmic"), _tick, logarithmic=True)
    bubbles = []
    for point in page.points:
        q = ErrorBar(*(None if end is None else 100 * end for end in (point.quality.value, point.quality.low, point.quality.high)))  # type: ignore[arg-type]
        t = ErrorBar(point.throughput.value, point.throughput.low, point.throughput.high)
        x, y = (t, q) if page.swapped else (q, t)
        bubbles.append(Bubble(point.name, point.address, words(point), x, y, point.memory.value, point.frontier))
    axes = (speed, quality) if page.swapped else (quality, speed)
    title = _("Quality, throughput and memory on %(profile)s") % {"profile": page.profile}
    told = _("One disc a system, its area in proportion to memory; the stepped line is the Pareto frontier. The table below says the same.")
    return bubble_plot(bubbles, *axes, title, told)


def words(point: Point) -> str:
    """Describe a point for screen readers."""
    facts = {
        "name": point.name,
        "quality": score(point.quality.value),
        "speed": amount(point.throughput.value),
        "memory": amount(point.memory.value),
    }
    told = _("%(name)s: quality %(quality)s, %(speed)s records a second, %(memory)s GiB") % facts
    return f"{told}; {membership_text(point.frontier)}"


def _table(page: Performance, *, shown: bool) -> tuple[list[str], list[list[Cell]], list[str]]:
    head = ["system", "quality", "throughput", "memory_gib", "frontier"]
    notes = [f"{page.title} {page.version}, {page.profile}; tasks: {', '.join(page.chosen)}"]
    if shown:
        rows: list[list[Cell]] = [
            [p.name, score(p.quality.value), amount(p.throughput.value), amount(p.memory.value), p.frontier] for p in page.points
        ]
        return head, rows, notes
    for name in ("quality", "throughput", "memory_gib"):
        head += [f"{name}_low", f"{name}_high"]
    head += ["throughput_printed", "memory_gib_printed", "notes"]
    return head, [_raw(point) for point in page.points], notes


def _raw(point: Point) -> list[Cell]:
    q, t, m = point.quality, point.throughput, point.memory
    ends: list[Cell] = [q.low, q.high, t.low, t.high, m.low, m.high]
    return [point.name, q.value, t.value, m.value, point.frontier, *ends, t.reported, m.reported, "; ".join(point.notes)]
