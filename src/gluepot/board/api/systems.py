"""Systems with their imported entries and measurements."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import F, Q
from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from gluepot.board.api.paging import PageParameters, Slug, Word, page_of
from gluepot.board.api.schemas import NOT_FOUND, NOT_VALID, SystemFacts, SystemsPage
from gluepot.board.models import Measurement, System
from gluepot.board.server import addresses
from gluepot.board.views import find_system

router = Router()


class SystemQuery(PageParameters):
    """Filters of the list of systems."""

    search: Word = Field(None, description="words that are all in its name, family or team")
    family: Word = None
    role: Word = Field(None, description="system, trivial or human")


@router.get("/systems", response={200: SystemsPage, **NOT_VALID}, summary="Systems")
def list_systems(request: HttpRequest, asked: Query[SystemQuery]) -> dict[str, Any]:
    """List the systems that match the filters, by name."""
    rows = System.objects.order_by("name")
    for word in (asked.search or "").split():
        rows = rows.filter(Q(name__icontains=word) | Q(family__icontains=word) | Q(team__icontains=word))
    if asked.family is not None:
        rows = rows.filter(family__iexact=asked.family)
    if asked.role is not None:
        rows = rows.filter(role=asked.role)
    page = page_of(request, rows, asked)
    return {**page, "items": [_line(system) for system in page["items"]]}


@router.get("/systems/{slug}", response={200: SystemFacts, **NOT_FOUND}, summary="A system")
def one_system(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """Return a system with its card, entries and measurements."""
    system = find_system(slug)
    of = {"suite_name": F("suite__name"), "suite_version": F("suite__version")}
    entries = system.entries.annotate(**of).order_by("-imported", "-pk").defer("details")
    of = {"suite_name": F("entry__suite__name"), "suite_version": F("entry__suite__version")}
    measured = Measurement.objects.filter(entry__system=system, current=True).annotate(**of).order_by("task", "quantity", "pk")
    return {
        **_line(system),
        "card": system.card,
        "entries": [_named(entry, ("kind", "source", "digest", "imported", "gluepot")) for entry in entries],
        "measurements": [_named(one, ("task", "quantity", "value", "low", "high", "profile", "reported", "note")) for one in measured],
        "scores": f"/api/scores?{urlencode({'system': system.slug})}",
    }


def _named(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {"suite": row.suite_name, "version": row.suite_version, **{name: getattr(row, name) for name in names}}


def _line(system: System) -> dict[str, Any]:
    names = ("slug", "name", "role", "family", "parameters", "languages", "team", "link", "added", "released")
    return {
        **{name: getattr(system, name) for name in names},
        "data_gigabytes": system.data_size,
        "open": {"weights": system.open_weights, "code": system.open_code, "data": system.open_data},
        "address": addresses.system(system.slug),
    }
