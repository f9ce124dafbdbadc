"""Crawler that visits the site without a network, in several processes, and stores every page that it reaches."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from gluepot.board.export.naming import Address, without_language
from gluepot.board.export.plan import ExportPlan
from gluepot.board.export.processes import Processes
from gluepot.board.export.visiting import VisitedPage

BATCH = 12
"""Pages handed to a process at a time: enough to keep the overhead small, few enough to keep all processes busy to the end."""


class CrawledFile(NamedTuple):
    """URL and content type of a file."""

    url: str
    kind: str


@dataclass
class Crawl:
    """Result of a crawl: each address with its file, redirects and broken addresses."""

    folder: Path
    plan: ExportPlan
    files: dict[Address, str] = field(default_factory=dict)
    aliases: dict[Address, Address] = field(default_factory=dict)
    """Redirected addresses with their targets."""
    broken: dict[Address, Address] = field(default_factory=dict)
    """Broken addresses, each with a page that links to it."""
    kept: dict[str, CrawledFile] = field(default_factory=dict)

    def file(self, address: Address) -> str | None:
        """Return the file of an address, if the copy has one."""
        return self.files.get(self.aliases.get(address, address))

    def run(self, processes: Processes, tell: Callable[[str], None] = lambda text: None) -> None:
        """Follow all links from the planned start addresses."""
        waiting = dict.fromkeys((self.plan.read(link)[0] for link in self.plan.first()), Address("/"))
        origins, numbers, told = dict(waiting), count(), 0
        numbered: dict[Address, int] = {}
        running: set[Future[list[VisitedPage]]] = set()
        while waiting or running:
            while waiting and len(running) < 2 * processes.number:
                batch = _batch(waiting)
                numbered.update((address, next(numbers)) for address in batch)
                running.add(processes.visit([(numbered[address], address) for address in batch]))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for visit in chain.from_iterable(future.result() for future in done):
                self._note(visit, numbered[visit.address], origins)
                for found in visit.found:
                    if found not in origins:
                        origins[found] = waiting[found] = visit.address
            if len(self.files) // 500 > told:
                told = len(self.files) // 500
                tell(f"{len(self.files):,} pages, {len(waiting):,} waiting")

    def _note(self, visit: VisitedPage, number: int, origins: dict[Address, Address]) -> None:
        address = visit.address
        if visit.alias is not None:
            self.aliases[address] = visit.alias
        elif visit.broken:
            self.broken[address] = origins[address]
        else:
            name = self._free(address.file(visit.kind))
            self.files[address], self.kept[name] = name, CrawledFile(address.url, visit.kind)
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / str(number)).rename(path)

    def _free(self, name: str) -> str:
        """Return a file name that no other page has: addresses may collide once their special characters are replaced."""
        stem, dot, end = name.rpartition(".")
        others = (f"{stem}-{number}{dot}{end}" for number in count(2))
        return next(one for one in chain([name], others) if one not in self.kept)


def _batch(waiting: dict[Address, Address]) -> list[Address]:
    """Remove a batch of addresses from `waiting` and return it, with those of one page in several languages together."""
    first = next(reversed(waiting))
    bare = without_language(first.path)
    alike = [address for address in _recent(waiting) if without_language(address.path) == bare and address.query == first.query]
    batch = [*alike, *(address for address in _recent(waiting) if address not in alike)][:BATCH]
    for address in batch:
        del waiting[address]
    return batch


def _recent(waiting: dict[Address, Address], most: int = 200) -> Iterator[Address]:
    """Yield the addresses found last, newest first."""
    for _number, address in zip(range(most), reversed(waiting), strict=False):
        yield address
