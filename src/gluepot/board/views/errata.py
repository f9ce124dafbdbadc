"""Errata page: published figures and claims that cannot be right, recomputed on every request."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from gluepot.board.errata import Erratum, claims
from gluepot.board.templatetags.shown import decimal, number
from gluepot.board.views import render_page
from gluepot.tasks.declarations import load_suite


@dataclass(frozen=True)
class ErrataPage:
    """Data shown on the errata page."""

    claims: list[Erratum]


def view(request: HttpRequest, form: str | None = None) -> HttpResponse:
    page = ErrataPage(claims())
    if form == "json":
        return render_page(request, page, "", "json")
    parts = dict.fromkeys(claim.suite for claim in page.claims)
    shown = [(suite, load_suite(suite).title, [_rows(claim) for claim in page.claims if claim.suite == suite]) for suite in parts]
    return render_page(request, page, "errata", parts=shown)


def _rows(claim: Erratum) -> tuple[Erratum, list[tuple[str, str, str, str]]]:
    """Return an erratum with the numbers of its lines formatted."""

    def shown(value: float | None) -> str:
        return number(round(value)) if value is not None and claim.digits == 0 else decimal(value, claim.digits)

    return claim, [(line.what, shown(line.printed), shown(line.computed), line.note) for line in claim.lines]
