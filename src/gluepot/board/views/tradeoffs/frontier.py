"""Quality against size and date: two plots with their Pareto frontiers, and the same data as tables."""

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gluepot.board.analysis.frontier import SIZE, Frontier, FrontierPoint, find_frontiers
from gluepot.board.drawing.formats import WRITERS, Cell
from gluepot.board.drawing.plots import Bubble, ErrorBar, PlotAxis, bubble_plot
from gluepot.board.models import SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.standings.state import State, parse_state
from gluepot.board.templatetags.shown import decimal, score, size
from gluepot.board.views import file_response, find_version, render_page
from gluepot.board.views.links import file_links
from gluepot.board.views.tradeoffs.membership import membership_text

MONTHS = (1 / 12, 2 / 12, 3 / 12, 6 / 12)
"""Allowed tick distances as fractions of a year; a tenth would not be a whole number of months."""


@dataclass(frozen=True)
class FrontierPage:
    """Data shown on the page."""

    suite: str
    version: str
    title: str
    split: str
    splits: list[str]
    query: str
    only: str
    """The single task whose score is plotted; empty for the overall score."""
    label: str
    tasks: dict[str, str]
    """Labels of the selectable tasks, by name."""
    plots: list[Frontier]
    unknown_parameters: list[str] = field(default_factory=list)


def frontier_page(version: SuiteVersion, state: State) -> FrontierPage:
    asked = State(split=state.split, only=state.only)
    page, plots = find_frontiers(version, asked)
    labels = {task.name: task.label for task in page.tasks}
    odd = [f"{name}={text}" for name, text in state.pairs() if name not in ("split", "only")]
    return FrontierPage(
        suite=page.suite,
        version=page.version,
        title=page.title,
        split=page.split,
        splits=page.splits,
        query=asked.query(),
        only=page.only,
        label=labels.get(page.only, ""),
        tasks=labels,
        plots=plots,
        unknown_parameters=odd + page.unknown_parameters,
    )


@accepts_parameters("only", "split", told=True)
def view(request: HttpRequest, suite: str, version: str, form: str | None = None) -> HttpResponse:
    found = find_version(suite, version)
    query = request.META.get("QUERY_STRING", "")
    state = parse_state(query)
    if form is None and state.query() != query:
        return HttpResponseRedirect(addresses.board(found.name, found.version, "frontier", state.query()))
    page = frontier_page(found, state)
    if form in WRITERS:
        return file_response(WRITERS[form](*_table(page, shown=form != "csv")), form)
    return render_page(request, page, "frontier", form, **({} if form else _context(page)))


def _context(page: FrontierPage) -> dict[str, Any]:
    return {
        "plots": [(one, draw(page, one), [(point, membership_text(point.frontier)) for point in one.points]) for one in page.plots],
        "plain": addresses.board(page.suite, page.version, "frontier"),
        "files": file_links(page.suite, page.version, "frontier", page.query),
    }


def draw(page: FrontierPage, one: Frontier) -> SafeString:
    """Draw a plot; empty without points."""
    if not one.points:
        return SafeString("")
    overall = _("Overall")
    quality = PlotAxis(f"{page.label or overall}, × 100", lambda value: decimal(value, 0))
    if one.against == SIZE:
        axis, title = PlotAxis(_("Parameters, logarithmic"), size, logarithmic=True, less=True), _("Quality against size")
    else:
        axis, title = PlotAxis(_("Date"), year_text, less=True, room=0.3, steps=MONTHS), _("Quality against date")
    told = _("One disc a system; the stepped line is the Pareto frontier. The table below says the same.")
    return bubble_plot([_bubble(point, one.against) for point in one.points], axis, quality, title, told)


def year_text(value: float) -> str:
    """Format a tick of the date axis.

    >>> year_text(2020.0), year_text(2020.5)
    ('2020', '2020-07')
    """
    year, part = divmod(round(12 * value), 12)
    return f"{year}-{part + 1:02d}" if part else f"{year}"


def _bubble(point: FrontierPoint, against: str) -> Bubble:
    quality = ErrorBar(100 * point.value, *(None if end is None else 100 * end for end in (point.low, point.high)))
    facts = {"name": point.name, "quality": score(point.value), "against": against_text(point, against)}
    text = "{name}: {quality}, {against}; {place}".format(**facts, place=membership_text(point.frontier))
    return Bubble(point.name.rpartition("/")[2], point.address, text, ErrorBar(point.against), quality, None, point.frontier)


def against_text(point: FrontierPoint, against: str) -> str:
    return size(point.against) if against == SIZE else point.told


def _table(page: FrontierPage, *, shown: bool) -> tuple[list[str], list[list[Cell]], list[str]]:
    """Return both plots as one table."""
    rows: list[list[Cell]] = []
    for one in page.plots:
        for point in one.points:
            if shown:
                rows.append(
                    [one.against, point.name, against_text(point, one.against), score(point.value), membership_text(point.frontier)]
                )
            else:
                against: Cell = int(point.against) if one.against == SIZE else point.told
                rows.append([one.against, point.name, against, point.value, point.frontier, point.low, point.high])
    head = ["plot", "system", "against", "quality", "frontier"]
    return head if shown else [*head, "low", "high"], rows, [f"{page.title} {page.version}, {page.split}; {page.only or 'overall'}"]
