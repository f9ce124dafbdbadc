"""Worker of an export: requests pages from the site, writes them to disk and returns their links."""

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
from gluepot.board.server.middleware.private import private_area
from gluepot.board.standings.revisions import pinned_revision

HOST = "localhost"
"""Host name of the requests, which no page may contain."""


@dataclass
class VisitedPage:
    """Result of a visit: a page with its content type, a redirect to another address, or neither."""

    address: Address
    kind: str = ""
    alias: Address | None = None
    found: list[Address] = field(default_factory=list)
    """Addresses that it links to."""

    @property
    def broken(self) -> bool:
        return not self.kind and self.alias is None


class Visitor:
    """Visits pages for a crawl; each response is written to `folder` under the number of its visit."""

    def __init__(self, folder: Path, plan: ExportPlan) -> None:
        self.folder, self.plan, self.client = folder, plan, Client(HTTP_HOST=HOST)

    def visit(self, numbered: Sequence[tuple[int, Address]]) -> list[VisitedPage]:
        """Visit the addresses, usually one page in all languages, so that shared data is computed once."""
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
        public = (link for link in dict.fromkeys(links) if not link.startswith("/static/") and private_area(link) is None)
        found = dict.fromkeys(self.plan.read(link)[0] for link in public)
        return VisitedPage(address, kind, found=[one for one in found if self.plan.wanted(one)])


def body_of(response: HttpResponseBase) -> bytes:
    """Return the content of a response, streamed or not."""
    if response.streaming:
        return b"".join(response)
    content: bytes = response.content  # type: ignore[attr-defined]
    return content
