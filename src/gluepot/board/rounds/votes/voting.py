"""Answers of raters: stored before the response is sent; a changed answer replaces the previous one, which remains as a row."""

from typing import Any

from django.db import transaction
from django.db.models import F
from msgspec import json

from gluepot.board.rounds.models import CastVote, ItemLease, ItemTally
from gluepot.board.rounds.votes.assignment import AllottedItem, Visit, round_item
from gluepot.board.rounds.votes.queries import CAST, LEASE_OWN, run


def cast(visit: Visit, item: int, question: str, value: Any, *, skipped: bool = False, comment: str = "") -> None:
    """Store a vote on an item that this rater was assigned or has answered before; ignore any other."""
    words = {"item": item, "rater": visit.rater, "question": question, "skipped": skipped, "comment": comment}
    sent = None if skipped else json.encode(value).decode()
    if not run(CAST, {**words, "value": sent, "counts": 0 if skipped else 1}):
        _change(visit, item, question, value, skipped=skipped, comment=comment)


def _change(visit: Visit, item: int, question: str, value: Any, *, skipped: bool, comment: str) -> None:
    """Add an answer that replaces the previous one; an identical one, as from a form sent twice, is ignored."""
    with transaction.atomic():
        mine = CastVote.objects.select_for_update().filter(rater=visit.rater, item=item, question=question, current=True)
        former = mine.first()
        if former is None or (former.value, former.skipped, former.comment) == (value, skipped, comment):
            return
        if former.skipped != skipped and not _count(visit, item, question, 1 if former.skipped else -1):
            return  # skipped before, and others have given all votes since
        mine.update(current=False)
        CastVote.objects.create(
            item_id=item, rater_id=visit.rater, question=question, value=value, skipped=skipped, comment=comment, seconds=former.seconds
        )


def _count(visit: Visit, item: int, question: str, votes: int) -> bool:
    """Update the item's tally; return False if it has all its votes already. Items that every rater gets have no tally."""
    tally = ItemTally.objects.filter(item=item, question=question)
    room = tally.filter(taken__lt=visit.round.of.votes) if votes > 0 else tally
    return bool(room.update(taken=F("taken") + votes)) or not tally.exists()


def go_back(visit: Visit, before: int | None) -> int | None:
    """Return the previous vote, for the Back button. A skipped item is leased again if its tally has room, and None is returned."""
    votes = CastVote.objects.filter(rater=visit.rater, current=True).exclude(item__kind="training").order_by("-pk")
    for vote in votes if before is None else votes.filter(pk__lt=before):
        if not vote.skipped:
            return int(vote.pk)
        if _take_again(visit, vote):
            return None
    return None


def _take_again(visit: Visit, vote: CastVote) -> bool:
    with transaction.atomic():
        if not _count(visit, vote.item_id, vote.question, 1):
            return False
        CastVote.objects.filter(pk=vote.pk).update(current=False)
        words = {"item": vote.item_id, "rater": visit.rater, "question": vote.question, "minutes": visit.round.of.lease_minutes}
        run(LEASE_OWN, words)
        return True


def former_vote(visit: Visit, vote: int | None) -> CastVote | None:
    """Return a current vote of this rater; None if there is none with this key."""
    return CastVote.objects.filter(pk=vote, rater=visit.rater, current=True).first() if vote else None


def may_answer(visit: Visit, item: int, question: str) -> AllottedItem | None:
    """Return the item if it is or was leased to this rater, or they answered it before; else None."""
    if visit.held and (visit.held.item.pk, visit.held.question) == (item, question):
        return visit.held
    theirs = {"rater": visit.rater, "item": item, "question": question}
    leased = ItemLease.objects.filter(**theirs).exists()
    if leased or CastVote.objects.filter(**theirs, current=True).exists():
        return AllottedItem(round_item(item, visit.round.of.opened), question, None)
    return None
