"""How exactly one view is found again and cited: its address with everything that decides it, and a BibTeX entry."""

import re
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.translation import override

from gluepot.board.drawing.citing import bibtex_entry
from gluepot.board.server import addresses
from gluepot.board.standings.revisions import revision

LOCAL = re.compile(r"(localhost|127\.|\[::1\])")
"""Hosts that mean nothing elsewhere, so that no citation and no copy names them."""


@dataclass(frozen=True)
class Citation:
    """Where a view is, and its entry in a bibliography."""

    address: str
    bibtex: str

    def response(self) -> HttpResponse:
        return HttpResponse(self.bibtex, content_type="application/x-bibtex; charset=utf-8")


def cite(key: str, title: str, address: str) -> Citation:
    return Citation(address, bibtex_entry(key, title, address, f"Board revision {revision()}"))


def permanent_address(request: HttpRequest, suite: str, version: str, page: str, query: str) -> str:
    """A page of a suite in English, whoever asks; a board of one machine has no host."""
    with override("en"):
        path = addresses.board(suite, version, page, query)
    return path if LOCAL.match(request.get_host()) else request.build_absolute_uri(path)
