"""Adjudication: the keeper's own votes on disputed items, added to the raters' votes, which remain unchanged."""

from collections import Counter
from typing import Any

from django.db import transaction
from msgspec import Struct

from gluepot.board.rounds.models import AnnotationRound, CastVote, RoundItem
from gluepot.board.rounds.opening import ADJUDICATOR, ASKED
from gluepot.board.rounds.status import round_task
from gluepot.errors import InvalidOutput, WrongUse, unknown
from gluepot.people.reading import known_answers, read_value
from gluepot.people.votes import label_text
from gluepot.records import Example
from gluepot.runs.storage.store import plain


class Dispute(Struct, frozen=True):
    """An item on which raters disagree."""

    item: str
    key: int
    """Primary key of the item, for the keeper's page."""
    question: str
    votes: dict[str, int]
    """Number of raters by answer."""
    share: float
    """Share of the votes for the most frequent answer."""
    decided: str | None
    """The keeper's answer, if there is one."""


def disputed(of: AnnotationRound) -> list[Dispute]:
    """Return the disputed items: undecided ones first, then by ascending share of the most frequent answer."""
    rows = CastVote.objects.filter(item__round=of, item__kind__in=ASKED, current=True, skipped=False).order_by("pk")
    given: dict[tuple[int, str], list[str]] = {}
    decided: dict[tuple[int, str], str] = {}
    names: dict[int, str] = {}
    for row in rows.select_related("item"):
        names[row.item_id] = row.item.item
        if row.adjudicated:
            decided[row.item_id, row.question] = label_text(row.value)
        else:
            given.setdefault((row.item_id, row.question), []).append(label_text(row.value))
    found = []
    for (key, question), said in given.items():
        counts = Counter(said)
        if len(counts) > 1:
            share = max(counts.values()) / len(said)
            found.append(Dispute(names[key], key, question, dict(counts.most_common()), share, decided.get((key, question))))
    return sorted(found, key=lambda one: (one.decided is not None, one.share, one.key))


def adjudicate(of: AnnotationRound, item: str, said: Any, question: str | None = None) -> None:
    """Add the keeper's vote on an item; an earlier one remains but no longer counts."""
    found = of.items.filter(item=item, kind__in=ASKED).first()
    if found is None:
        raise WrongUse(f"{of.name}: {unknown('item', item, of.items.filter(kind__in=ASKED).values_list('item', flat=True))}")
    asked = question if question is not None else (of.questions or [""])[0]
    if asked not in (of.questions or [""]):
        raise WrongUse(f"{of.name}: {unknown('question', asked, of.questions)}")
    add_vote(of, found, asked, read_decision(of, found, said))


def read_decision(of: AnnotationRound, item: RoundItem, said: Any) -> Any:
    """Parse an answer in any form accepted for votes; raise WrongUse if it is invalid or off the scale, as for raters."""
    task = round_task(of)
    try:
        value = read_value(task, Example("", item.inputs), said, known_answers(task))
    except InvalidOutput as error:
        raise WrongUse(f"{of.name}: {item.item}: {error.message} {error.hint}") from error
    if task.scale and not task.scale[0] <= value <= task.scale[1]:
        raise WrongUse(f"{of.name}: {item.item}: {value:g} is off the scale, which goes from {task.scale[0]:g} to {task.scale[1]:g}.")
    return plain(value)


def add_vote(of: AnnotationRound, item: RoundItem, question: str, value: Any) -> None:
    keeper = of.raters.get(name=ADJUDICATOR)
    with transaction.atomic():
        CastVote.objects.filter(item=item, rater=keeper, question=question, current=True).update(current=False)
        CastVote.objects.create(item=item, rater=keeper, question=question, value=value, adjudicated=True)
