"""One worker of an export: asks the site for pages, writes them down, and tells what they point to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import msgspec
from django.http.response import HttpResponseBase
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from gluepot.board.export.forms import form_links
from gluepot.board.export.links import html_links, json_links
from gluepot.board.export.naming import Address
from gluepot.board.export.plan import ExportPlan
from gluepot.board.server.middleware.private import room_of
from gluepot.board.standings.revisions import pinned_revision

HOST = "localhost"
"""The name under which the pages are asked; none of them may tell it."""


@dataclass
class VisitedPage:
    """What an address turned out to be: a page with its kind, a way to another address, or nothing."""

    address: Address
    kind: str = ""
    alias: Address | None = None
    found: list[Address] = field(default_factory=list)
    """Where it points to."""

    @property
    def broken(self) -> bool:
        return not self.kind and self.alias is None


class Visitor:
    """Visits pages for a crawl; what it was answered lies in `folder`, under the number that each visit was given."""

    def __init__(self, folder: Path, plan: ExportPlan) -> None:
        self.folder, self.plan, self.client = folder, plan, Client(HTTP_HOST=HOST)

    def visit(self, numbered: Sequence[tuple[int, Address]]) -> list[VisitedPage]:
        """All these addresses: the same page in all languages, as a rule, so that what they share is computed once."""
        with pinned_revision(self.plan.revision):
            return [self._visit(number, address) for number, address in numbered]

    def _visit(self, number: int, address: Address) -> VisitedPage:
        response = self.client.get(address.url)
        try:
            if response.status_code in (301, 302):
                alias = self.plan.read(response.headers["Location"])[0]
                return VisitedPage(address, alias=alias, found=[alias])
            return self._keep(number, address, response) if response.status_code == 200 else VisitedPage(address)
        finally:
            response.close()

    def _keep(self, number: int, address: Address, response: HttpResponseBase) -> VisitedPage:
        content = body_of(response)
        kind = response.headers["Content-Type"].partition(";")[0]
        (self.folder / str(number)).write_bytes(content)
        links: Iterable[str] = ()
        if kind == "text/html":
            page = LexborHTMLParser(content)
            links = chain(html_links(page, address.url), form_links(page, address.url))
        elif kind == "application/json":
            links = json_links(msgspec.json.decode(content))
        public = (link for link in dict.fromkeys(links) if not link.startswith("/static/") and room_of(link) is None)
        found = dict.fromkeys(self.plan.read(link)[0] for link in public)
        return VisitedPage(address, kind, found=[one for one in found if self.plan.wanted(one)])


def body_of(response: HttpResponseBase) -> bytes:
    """The answer's content, whether it is at hand or streamed."""
    if response.streaming:
        return b"".join(response)
    content: bytes = response.content  # type: ignore[attr-defined]
    return content
