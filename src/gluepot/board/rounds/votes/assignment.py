"""Assignment of items: fewest votes and leases first, then in an order of each rater. A rater who left does not block an item."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import msgspec

from gluepot.board.rounds.models import AnnotationRound, RoundItem
from gluepot.board.rounds.votes.queries import ANSWERED, LEASE_OWN, OWN, SWEEP, TAKE, TAKE_WAITING, VISIT, run
from gluepot.records import Task

CONTROLS, REPEATS = 7, 9
"""Number of answers between control items, and between hidden repeats."""
APART = 5
"""Number of answers between an item and its repeat, where there are that many."""


@dataclass(frozen=True)
class OpenRound:
    """The parts of a round that never change once it is open."""

    of: AnnotationRound
    task: Task
    kinds: Counter[str]

    @property
    def questions(self) -> list[str]:
        return self.of.questions or [""]


@dataclass(frozen=True)
class AllottedItem:
    """An item assigned to a rater, with its question; `since` is the start of a lease held before, else None."""

    item: RoundItem
    question: str
    since: datetime | None


@dataclass(frozen=True)
class Visit:
    """A rater's visit to their link."""

    rater: int
    name: str
    key: str
    """Key by which options are shuffled."""
    consented: bool
    round: OpenRound
    held: AllottedItem | None
    done: int
    ended: bool
    """Whether leases of any rater have expired and are still counted."""


def find_visit(token: str) -> Visit | None:
    """Return the visit for a token's hash; None if the link is unknown or revoked, or its round is closed."""
    rows = run(VISIT, {"token": token})
    if not rows:
        return None
    rater, name, key, consented, number, opened, item, question, since, done, ended = rows[0]
    held = AllottedItem(round_item(item, opened), question, since) if item else None
    return Visit(rater, name, key, consented, open_round(number, opened), held, done, ended)


@lru_cache(maxsize=64)
def open_round(pk: int, opened: datetime) -> OpenRound:
    """Return a round, cached; `opened` distinguishes it from an earlier round with the same primary key."""
    of = AnnotationRound.objects.get(pk=pk)
    kinds = Counter(RoundItem.objects.filter(round_id=pk).values_list("kind", flat=True))
    return OpenRound(of, msgspec.convert(of.declaration, Task), kinds)


@lru_cache(maxsize=20_000)
def round_item(pk: int, opened: datetime) -> RoundItem:
    return RoundItem.objects.get(pk=pk)


def next_item(visit: Visit) -> AllottedItem | None:
    """Return the rater's current item, or lease a new one; None when nothing is left for them."""
    if visit.held is not None:
        return visit.held
    if visit.ended:
        run(SWEEP, {})
    for question in visit.round.questions:
        found = _find(visit, question)
        if found is not None:
            return AllottedItem(round_item(found, visit.round.of.opened), question, None)
    return None


def _find(visit: Visit, question: str) -> int | None:
    """Lease an item: training first, then main items interspersed with controls and hidden repeats, then the remaining ones of those."""
    of = visit.round.of
    words = {"round": of.pk, "rater": visit.rater, "question": question, "votes": of.votes, "minutes": of.lease_minutes}
    left = run(OWN, words) if visit.round.kinds.keys() & {"training", "control", "repeat"} else []
    own = _own(left, words, ended=False)
    if own is None:
        rows = run(TAKE, words) or run(TAKE_WAITING, words)
        if rows:
            return int(rows[0][0])
        own = _own(left, words, ended=True)
    if own is not None:
        run(LEASE_OWN, {**words, "item": own})
    return own


def _own(left: list[tuple[Any, ...]], words: dict[str, Any], *, ended: bool) -> int | None:
    """Return an item that every rater gets: training, a due control, a due repeat; any that remains once main items have ended."""
    first = {kind: pk for pk, kind, _ in reversed(left)}
    if "training" in first or not left:
        return first.get("training")
    answered = [item for (item,) in run(ANSWERED, words)]
    if "control" in first and (ended or _due(answered, CONTROLS)):
        return int(first["control"])
    if "repeat" in first and (ended or _due(answered, REPEATS)):
        early = set(answered[0 if ended else APART :])
        return next((pk for pk, kind, item in left if kind == "repeat" and item in early), None)
    return None


def _due(answered: list[str], every: int) -> bool:
    return bool(answered) and len(answered) % every == 0
