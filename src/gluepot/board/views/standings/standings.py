"""Standings page: the ranking of a suite, with filters and sorting."""

from typing import Any
from urllib.parse import parse_qs, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from gluepot.board.drawing.formats import WRITERS
from gluepot.board.models import SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.record import StandingsPage
from gluepot.board.standings.state import NAMES, State, parse_state
from gluepot.board.views import file_response, find_version, render_page
from gluepot.board.views.citation import Citation, cite, permanent_address
from gluepot.board.views.languages import language_name
from gluepot.board.views.standings.choices import make_choices
from gluepot.board.views.standings.headline import headline
from gluepot.board.views.standings.metric_texts import metric_summary
from gluepot.board.views.standings.overall_axis import axis_marks
from gluepot.board.views.standings.rows import bodies
from gluepot.board.views.standings.tables import mixed_versions, write_table


@accepts_parameters(*NAMES, "do", told=True)
def view(request: HttpRequest, suite: str, version: str | None = None, form: str | None = None) -> HttpResponse:
    """Render the page, or export its rows as a file."""
    found = find_version(suite, version)
    query = request.META.get("QUERY_STRING", "")
    if act := parse_qs(query).get("do"):
        return HttpResponseRedirect(_acted(found, query, act[-1]))
    state = parse_state(query)
    if version is None or (form is None and state.query() != query):
        return HttpResponseRedirect(addresses.board(found.name, found.version, query=state.query(), form=form or ""))
    page = make_standings(found, state)
    if form in WRITERS:
        return file_response(write_table(page, form), form)
    if form == "json":
        return render_page(request, page, "", "json")
    cited = _cited(request, page, state)
    return cited.response() if form == "bib" else render_page(request, page, "standings", cited=cited, **_more(page, state, found))


def _cited(request: HttpRequest, page: StandingsPage, state: State) -> Citation:
    """Return the citation of this table; the split is always named, even if it is the default."""
    address = permanent_address(request, page.suite, page.version, "", state.with_changes(split=page.split).query())
    return cite(f"{page.suite}-{page.version}-{page.split}", f"{page.title} {page.version}, {page.split}", address)


def _acted(version: SuiteVersion, query: str, act: str) -> str:
    """Return the redirect target of a button for the selected systems: compare, pin, filter, or export as a file."""
    state = parse_state("&".join(part for part in query.split("&") if not part.startswith("do=")))
    if act == "compare":
        sides = dict(zip(("a", "b"), state.picked, strict=False))
        more = {"s": ",".join(state.picked)} if len(state.picked) > 2 else {}
        split = {"split": state.split} if state.split else {}
        return addresses.board(version.name, version.version, "compare", urlencode({**sides, **split, **more}))
    if act == "pin":
        state = state.with_changes(pinned=tuple(sorted({*state.pinned, *state.picked})), picked=())
    return addresses.board(version.name, version.version, query=state.query(), form=act if act in WRITERS else "")


def _more(page: StandingsPage, state: State, version: SuiteVersion) -> dict[str, Any]:
    """Return the context used by the HTML only."""
    choices = make_choices(page, state, version)
    versioned = len(page.versions) > 1
    return {
        "choices": choices,
        "bodies": bodies(page, intervals=state.intervals),
        "headline": headline(page),
        **axis_marks(page),
        "ticked": sum(option.chosen for option in choices.tasks),
        "outside": len(choices.heads) - choices.counted,
        "versioned": versioned,
        "width": len(choices.heads) + (5 if versioned else 4),
        "mixed": mixed_versions(page),
        "instead": [(task, metric_summary(task.metrics[0])) for task in page.tasks if task.instead],
        "metrics": [(name, metric_summary(name)) for name in dict.fromkeys(name for task in page.tasks for name in task.metrics)],
        "relative": not AGGREGATES[page.aggregate].alone,
        "suite_language": language_name(version.declaration["language"]),
    }
