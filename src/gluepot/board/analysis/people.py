"""Human scores, with the scores of systems on exactly the items shown to the raters."""

from dataclasses import dataclass
from typing import Any

from gluepot.board.items.loading import SplitItems
from gluepot.board.items.same_items import same_items_scores
from gluepot.board.models import Entry, Score, SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.revisions import RevisionCache, revision
from gluepot.records import Task


@dataclass(frozen=True)
class SameItems:
    """A system's score on the items shown to the raters."""

    name: str
    address: str
    role: str
    value: float | None
    n: int


@dataclass(frozen=True)
class PeopleScore:
    """A human score with its wide interval and sample sizes, and the scores of systems on the same items."""

    name: str
    address: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    votes: int
    votes_an_item: float
    raters: int
    ties: int
    by: str
    agreement: dict[str, Any] | None
    systems: list[SameItems]


def people_scores(version: SuiteVersion, task: Task, split: str, items: SplitItems | None) -> list[PeopleScore]:
    """Return one score per human run on this split."""
    found = []
    for row in _rows.get((version.pk, task.name, split), revision(), lambda: _read_rows(version, task, split)):
        facts = row.entry.details.get("people")
        if facts:
            system = row.entry.system
            others = _same_items(version, task, items, system.slug) if items else []
            counts = {name: facts[name] for name in ("items", "votes", "votes_an_item", "raters", "ties", "by", "agreement")}
            address = addresses.system(system.slug)
            found.append(PeopleScore(system.name, address, row.metric, row.value, row.low, row.high, **counts, systems=others))
    return found


_rows = RevisionCache[tuple[int, str, str], list[Score]]()


def _read_rows(version: SuiteVersion, task: Task, split: str) -> list[Score]:
    rows = Score.objects.filter(
        entry__suite=version, entry__system__role=System.Role.HUMAN, entry__kind=Entry.Kind.RUN, task=task.name, split=split, slice="",
        current=True, metric=task.metrics[0],
    )  # fmt: skip
    return list(rows.exclude(value=None).defer("replicates").select_related("entry__system"))


def _same_items(version: SuiteVersion, task: Task, items: SplitItems, people: str) -> list[SameItems]:
    """Return every other system with answers to these items, best first."""
    _asked, scores = same_items_scores(version, task, task.metrics[0], items, people)
    found = [SameItems(one.system.name, addresses.system(one.system.slug), one.system.role, one.value, one.n) for one in scores]
    return sorted(found, key=lambda one: -(one.value if one.value is not None else float("-inf")))
