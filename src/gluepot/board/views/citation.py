"""Citations of a view: a permanent address with all of its parameters, and a BibTeX entry."""

import re
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.translation import override

from gluepot.board.drawing.citing import bibtex_entry
from gluepot.board.server import addresses
from gluepot.board.standings.revisions import revision

LOCAL = re.compile(r"(localhost|127\.|\[::1\])")
"""Hosts that are meaningless elsewhere and therefore never appear in a citation or a copied address."""


@dataclass(frozen=True)
class Citation:
    """The address of a view and its BibTeX entry."""

    address: str
    bibtex: str

    def response(self) -> HttpResponse:
        return HttpResponse(self.bibtex, content_type="application/x-bibtex; charset=utf-8")


def cite(key: str, title: str, address: str) -> Citation:
    return Citation(address, bibtex_entry(key, title, address, f"Board revision {revision()}"))


def permanent_address(request: HttpRequest, suite: str, version: str, page: str, query: str) -> str:
    """Return the address of a suite page in English, in any request language; without a host for a local board."""
    with override("en"):
        path = addresses.board(suite, version, page, query)
    return path if LOCAL.match(request.get_host()) else request.build_absolute_uri(path)
