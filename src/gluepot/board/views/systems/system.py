"""System page: metadata, all scores with their provenance, and score history."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from gluepot.board.drawing.markup import render_markdown
from gluepot.board.models import Answers, Measurement, System
from gluepot.board.server import addresses
from gluepot.board.views import find_system, render_page
from gluepot.board.views.systems.entries import EntrySource, list_sources
from gluepot.board.views.systems.results import PastScore, SystemResult, list_history, list_results, list_rivals

DOWNLOAD = "application/gzip"


@dataclass(frozen=True)
class Download:
    """A downloadable file of predictions."""

    suite: str
    task: str
    split: str
    seed: int
    address: str


@dataclass(frozen=True)
class MeasurementRow:
    """Speed, memory or start-up time on a task."""

    suite: str
    task: str
    quantity: str
    value: float
    low: float | None
    high: float | None
    profile: str
    printed: float | None
    """Published value of the same quantity."""
    note: str


@dataclass(frozen=True)
class SystemPage:
    """Data shown on the system page."""

    slug: str
    name: str
    role: str
    family: str
    parameters: int | None
    data_gigabytes: float | None
    languages: list[str]
    team: str
    link: str
    open: dict[str, bool | None]
    added: datetime
    released: str
    """Date of first release; empty if unknown."""
    card: str
    """Unrendered Markdown."""
    results: list[SystemResult]
    measurements: list[MeasurementRow]
    downloads: list[Download]
    sources: list[EntrySource]
    history: list[PastScore]


def system_page(system: System) -> SystemPage:
    return SystemPage(
        slug=system.slug,
        name=system.name,
        role=system.role,
        family=system.family,
        parameters=system.parameters,
        data_gigabytes=system.data_size,
        languages=list(system.languages),
        team=system.team,
        link=system.link,
        open={"weights": system.open_weights, "code": system.open_code, "data": system.open_data},
        added=system.added,
        released=system.released,
        card=system.card,
        results=list_results(system),
        measurements=_measurements(system),
        downloads=_downloads(system),
        sources=list_sources(system),
        history=list_history(system),
    )


def _measurements(system: System) -> list[MeasurementRow]:
    rows = Measurement.objects.filter(entry__system=system, current=True).order_by("entry__suite__name", "profile", "task", "-quantity")
    names = ("entry__suite__name", "task", "quantity", "value", "low", "high", "profile", "reported", "note")
    return [MeasurementRow(*row) for row in rows.values_list(*names)]


def _downloads(system: System) -> list[Download]:
    rows = Answers.objects.filter(entry__system=system, current=True).order_by("entry__suite__name", "split", "task", "seed")
    folder = f"{addresses.system(system.slug)}/answers"
    found = rows.values_list("entry__suite__name", "task", "split", "seed", "pk")
    return [Download(suite, task, split, seed, f"{folder}/{number}.jsonl.gz") for suite, task, split, seed, number in found]


def view(request: HttpRequest, slug: str, form: str | None = None) -> HttpResponse:
    system = find_system(slug)
    page = system_page(system)
    more: dict[str, Any] = {}
    if form is None:
        more = {"card": render_markdown(page.card), "facts": _facts(page), "rivals": list_rivals(system), "twin": f"{request.path}.json"}
    return render_page(request, page, "system", form, **more)


def _facts(page: SystemPage) -> list[tuple[str, str]]:
    """Return the known metadata in words; parameters and training data are formatted in the template."""
    words = {True: _("open"), False: _("closed")}
    titles = {"weights": _("weights"), "code": _("code"), "data": _("data")}
    known = [f"{titles[what]}: {words[is_open]}" for what, is_open in page.open.items() if is_open is not None]
    found = [
        (_("Family"), page.family),
        (_("Team"), page.team),
        (_("Languages"), ", ".join(page.languages)),
        (_("Openness"), ", ".join(known)),
    ]
    return [(title, text) for title, text in found if text]


def answers(request: HttpRequest, slug: str, number: str) -> HttpResponseBase:
    """Download a file of predictions as stored."""
    system = find_system(slug)
    row = Answers.objects.filter(pk=int(number[:18]), entry__system=system).defer("merits").first()
    if row is None:
        raise Http404(_("“%(name)s” has no predictions of that number.") % {"name": system.name})
    try:
        stream = row.file.open("rb")
    except OSError as error:
        raise Http404(_("The file with these predictions is not in the store.")) from error
    name = f"{system.slug}-{row.task}-{row.split}-{row.seed}.jsonl.gz"
    return FileResponse(stream, as_attachment=True, filename=name, content_type=DOWNLOAD)
