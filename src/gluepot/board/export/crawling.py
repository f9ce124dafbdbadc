"""Walks over the site as a visitor would, without a network and by as many processes as asked for, and keeps every page it comes to."""

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
"""Pages that a process is given at a time: enough that handing over costs little, few enough that all are busy to the end."""


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

    def run(self, processes: Processes, tell: Callable[[str], None] = lambda text: None) -> None:
        """Follow all links from the planned beginnings."""
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
        """A name that no other page has: what is odd in an address is left out of its file's name."""
        stem, dot, end = name.rpartition(".")
        others = (f"{stem}-{number}{dot}{end}" for number in count(2))
        return next(one for one in chain([name], others) if one not in self.kept)


def _batch(waiting: dict[Address, Address]) -> list[Address]:
    """Some addresses, those of one page in several languages together; they are taken out of `waiting`."""
    first = next(reversed(waiting))
    bare = without_language(first.path)
    alike = [address for address in _recent(waiting) if without_language(address.path) == bare and address.query == first.query]
    batch = [*alike, *(address for address in _recent(waiting) if address not in alike)][:BATCH]
    for address in batch:
        del waiting[address]
    return batch


def _recent(waiting: dict[Address, Address], most: int = 200) -> Iterator[Address]:
    """The addresses that were found last."""
    for _number, address in zip(range(most), reversed(waiting), strict=False):
        yield address
