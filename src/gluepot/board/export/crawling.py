"""Walks over the site as a visitor would, in one process and without a network, and keeps every page it comes to."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import msgspec
from django.http.response import HttpResponseBase
from django.test import Client

from gluepot.board.export.forms import form_links
from gluepot.board.export.links import html_links, json_links
from gluepot.board.export.naming import Address
from gluepot.board.export.plan import ExportPlan

HOST = "localhost"
"""The name under which the pages are asked; none of them may tell it."""


class CrawledFile(NamedTuple):
    """Where a file comes from, and what it is."""

    url: str
    kind: str


@dataclass
class Crawl:
    """What was found: each address with its file, and the ones that lead nowhere."""

    folder: Path
    plan: ExportPlan
    files: dict[Address, str] = field(default_factory=dict)
    aliases: dict[Address, Address] = field(default_factory=dict)
    """What the site redirects, and where to."""
    broken: dict[Address, Address] = field(default_factory=dict)
    """An address that is no page, and a page that points to it."""
    kept: dict[str, CrawledFile] = field(default_factory=dict)

    def file(self, address: Address) -> str | None:
        """The file of an address, if the copy has one."""
        return self.files.get(self.aliases.get(address, address))

    def run(self, tell: Callable[[str], None] = lambda text: None) -> None:
        """Follow all links from the planned beginnings."""
        client = Client(HTTP_HOST=HOST)
        waiting = dict.fromkeys((self.plan.read(link)[0] for link in self.plan.first()), Address("/"))
        seen = set(waiting)
        while waiting:
            address, origin = waiting.popitem()
            for found in self._visit(client, address, origin):
                if found not in seen and self.plan.wanted(found):
                    seen.add(found)
                    waiting[found] = address
            if len(self.files) % 500 == 499:
                tell(f"{len(self.files):,} pages, {len(waiting):,} waiting")

    def _visit(self, client: Client, address: Address, origin: Address) -> Iterator[Address]:
        response = client.get(address.url)
        if response.status_code in (301, 302):
            self.aliases[address] = self.plan.read(response.headers["Location"])[0]
            yield self.aliases[address]
        elif response.status_code != 200:
            self.broken[address] = origin
        else:
            yield from self._keep(address, response)
        response.close()

    def _keep(self, address: Address, response: HttpResponseBase) -> Iterator[Address]:
        content = body_of(response)
        kind = response.headers["Content-Type"].partition(";")[0]
        name = self._free(address.file(kind))
        self.files[address], self.kept[name] = name, CrawledFile(address.url, kind)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        links: Iterable[str] = ()
        if kind == "text/html":
            text = content.decode()
            links = chain(html_links(text, address.url), form_links(text, address.url))
        elif kind == "application/json":
            links = json_links(msgspec.json.decode(content))
        for link in links:
            if not link.startswith("/static/"):
                yield self.plan.read(link)[0]

    def _free(self, name: str) -> str:
        """A name that no other page has: what is odd in an address is left out of its file's name."""
        stem, dot, end = name.rpartition(".")
        others = (f"{stem}-{number}{dot}{end}" for number in count(2))
        return next(one for one in chain([name], others) if one not in self.kept)


def body_of(response: HttpResponseBase) -> bytes:
    """The answer's content, whether it is at hand or streamed."""
    if response.streaming:
        return b"".join(response)
    content: bytes = response.content  # type: ignore[attr-defined]
    return content
