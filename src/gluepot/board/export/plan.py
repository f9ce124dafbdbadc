"""Plan of an export: the start addresses of the crawl, and the page states that it includes."""

import re
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from django.conf import settings

from gluepot.board.export.naming import Address, split_address, without_language
from gluepot.board.models import Snapshot, SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.record import INCOMPLETE, RANKED
from gluepot.board.standings.revisions import revision
from gluepot.board.standings.score_matrix import load_score_matrix
from gluepot.board.standings.state import State

PAIRED = 15
"""Systems of a suite that are compared with each other: 105 pages per language."""
Board = tuple[str, str]


class ExportPlan:
    """Page states that a copy includes."""

    def __init__(self, paired: int = PAIRED) -> None:
        self.revision = revision()
        """Revision of all its pages, whatever is imported meanwhile."""
        self.pairs: dict[Board, set[tuple[str, ...]]] = {}
        self.splits: dict[Board, list[str]] = {}
        self.usual: dict[Board, str] = {}
        """Default split of each suite version."""
        for version in SuiteVersion.objects.all():
            board, page = (version.name, version.version), make_standings(version, State())
            self.splits[board], self.usual[board] = page.splits, page.split
            self.pairs[board] = pairs_of(version, paired)

    def first(self) -> Iterator[str]:
        """Yield the start addresses, including those that no link may lead to: the API and the pairs."""
        yield from ("/", "/api/openapi.json", "/api/suites")
        yield from (f"/api/{name}?limit=500" for name in ("systems", "scores", "snapshots"))
        yield from (f"/api/systems/{slug}" for slug in System.objects.values_list("slug", flat=True))
        yield from (f"/api/snapshots/{key}" for key in Snapshot.objects.values_list("key", flat=True))
        for (suite, version), pairs in self.pairs.items():
            yield f"/api/suites/{suite}/{version}"
            yield f"/api/suites/{suite}/{version}/standings"
            for (one, other), split, (code, _name) in product(sorted(pairs), self.splits[suite, version], settings.LANGUAGES):
                yield addresses.in_language(f"/b/{suite}/{version}/compare?a={one}&b={other}&split={split}", code)

    def read(self, link: str) -> tuple[Address, str, str]:
        """Split an address like `split_address` and normalise it: no split where it is the default, pairs in sorted order."""
        address, rest, fragment = split_address(link)
        given = dict(address.query)
        if given.get("split") and given["split"] == self.usual.get(board_of(address)):
            del given["split"]
        if "a" in given and "b" in given:
            given["a"], given["b"] = sorted((given["a"], given["b"]))
        return Address(address.path, tuple(given.items())), rest, fragment

    def wanted(self, address: Address) -> bool:
        """Return whether a state is included; of all pairs, only the planned ones are."""
        given = dict(address.query)
        if "a" not in given and "b" not in given:
            return True
        return (given.get("a"), given.get("b")) in self.pairs.get(board_of(address), set())


def board_of(address: Address) -> Board:
    """Return the suite and version that a page is about; empty for other pages.

    >>> board_of(Address("/sv/b/faroe/1.0.csv")), board_of(Address("/errata"))
    (('faroe', '1.0'), ('', ''))
    """
    match without_language(address.path).strip("/").split("/"):
        case ["b", suite, version]:
            return suite, re.sub(r"\.(bib|csv|json|md|tex)$", "", version)
        case ["b", suite, version, *_]:
            return suite, version
        case ["api", "suites", suite, version, *_]:
            return suite, version
    return "", ""


def pairs_of(version: SuiteVersion, most: int) -> set[tuple[str, ...]]:
    """Return the pairs to compare: of the best systems whose difference can be tested, else of the best systems."""
    page = make_standings(version, State())
    field = load_score_matrix(version, page.split, revision())
    ranked = [row.slug for row in page.section(RANKED) + page.section(INCOMPLETE)]
    draws = field.values if field.replicates is None else field.replicates[..., 0]
    testable = {facts.slug for number, facts in enumerate(field.systems) if not np.isnan(draws[:, number]).all()}
    tested = [slug for slug in ranked if slug in testable]
    return {tuple(sorted(pair)) for pair in combinations((tested if len(tested) > 1 else ranked)[:most], 2)}
