"""Views, one module per page: a dataclass with the page's data and a function that builds it, rendered as HTML and JSON."""

from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from gluepot.board.drawing.formats import TYPES
from gluepot.board.models import SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.revisions import RevisionCache, revision
from gluepot.board.submitting.intake.receiving import open_names
from gluepot.board.submitting.models import Rescoring
from gluepot.errors import nearest


def render_page(request: HttpRequest, page: Any, template: str, form: str | None = None, **more: Any) -> HttpResponse:
    """Render the page as HTML, or serialize its data as JSON."""
    if form == "json":
        return file_response(msgspec.json.encode(page, enc_hook=str).decode(), "json")
    return render(request, f"board/{template}.html", {"page": page, "places": _places(page, template), **more})


@dataclass(frozen=True)
class NavigationLink:
    """A link to a page of the current suite in the navigation bar."""

    title: str
    address: str
    here: bool


def _places(page: Any, template: str) -> list[NavigationLink]:
    suite, version = getattr(page, "suite", None), getattr(page, "version", None)
    return [] if suite is None or version is None else navigation_links(suite, version, template)


def navigation_links(suite: str, version: str, here: str) -> list[NavigationLink]:
    """Return the navigation links of a suite, including the submission page if the suite accepts submissions."""
    titles = {
        "standings": _("Quality"),
        "frontier": _("Size and date"),
        "performance": _("Performance"),
        "diagnostics": _("Diagnostics"),
        "compare": _("Compare"),
        "tasks": _("Tasks"),
    }
    found = [
        NavigationLink(title, addresses.board(suite, version, "" if name == "standings" else name), name in (here, f"{here}s"))
        for name, title in titles.items()
    ]
    if _rescored.get(suite, revision(), Rescoring.objects.filter(suite=suite).exists):
        found.append(NavigationLink(_("Changes"), f"{addresses.home()}/b/{suite}/changes", here == "changes"))
    if suite in open_names():
        found.append(NavigationLink(_("Submit"), f"{addresses.home()}/submit/{suite}", here == "submit"))
    return found


def file_response(text: str, form: str) -> HttpResponse:
    return HttpResponse(text, content_type=f"{TYPES[form]}; charset=utf-8")


@dataclass(frozen=True)
class NearestPage:
    """Suggestion for a URL that does not exist."""

    name: str
    address: str


class PageNotFound(Http404):
    """404 error with an optional suggestion of the nearest existing page."""

    def __init__(self, said: str, near: NearestPage | None) -> None:
        super().__init__(said)
        self.near = near


def find_version(suite: str, version: str | None = None) -> SuiteVersion:
    """Return a version of a suite, by default the newest; raises PageNotFound if the board does not have it."""
    found = _versions.get((suite, version), revision(), lambda: _read_version(suite, version))
    if found is None:
        versions = list(SuiteVersion.objects.values_list("name", "version", "declaration__title"))
        titles = {name: title for name, _number, title in versions}
        near = nearest(suite, titles)
        known = ", ".join(f"{name} {number}" for name, number, _title in versions)
        said = _("There is no suite “%(name)s” on this board. Known: %(known)s.")
        said %= {"name": f"{suite} {version or ''}".strip(), "known": known}
        raise PageNotFound(said, NearestPage(titles[near], f"{addresses.home()}/b/{near}") if near else None)
    return found


_rescored = RevisionCache[str, bool]()
_systems = RevisionCache[str, System | None]()
_versions = RevisionCache[tuple[str, str | None], SuiteVersion | None]()


def _read_version(suite: str, version: str | None) -> SuiteVersion | None:
    return SuiteVersion.objects.filter(name=suite, **({"version": version} if version else {})).order_by("-pk").first()


def find_system(slug: str) -> System:
    found = _systems.get(slug, revision(), System.objects.filter(slug=slug).first)
    if found is None:
        names = dict(System.objects.values_list("slug", "name"))
        near = next((known for known in sorted(names) if len(slug) > 2 and known.startswith(slug)), None) or nearest(slug, names)
        said = _("There is no system “%(name)s” on this board.") % {"name": slug}
        raise PageNotFound(said, NearestPage(names[near], addresses.system(near)) if near else None)
    return found
