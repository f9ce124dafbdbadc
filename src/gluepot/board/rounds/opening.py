"""Open a drawn round on the board's database, and manage the links of its raters."""

from collections.abc import Sequence

import msgspec
from django.db import transaction
from django.utils import timezone

from gluepot.board.rounds.models import AnnotationRound, ItemLease, ItemTally, RoundItem, RoundRater
from gluepot.board.rounds.tokens import bird, hash_token, make_token
from gluepot.errors import WrongUse, unknown
from gluepot.people.rounds.drawing import RoundPlan
from gluepot.records import Task

ADJUDICATOR = "adjudicator"
"""Rater name of the keeper's own votes; no link opens it."""
ASKED = ("main", "pilot")


def open_round(plan: RoundPlan, task: Task) -> tuple[AnnotationRound, str | None]:
    """Open a round; return it with its keeper's token, or with None if it exists already."""
    found = AnnotationRound.objects.filter(name=plan.name).first()
    if found is not None:
        return found, None
    token = make_token()
    with transaction.atomic():
        made = AnnotationRound.objects.create(
            name=plan.name,
            task=plan.task,
            split=plan.split,
            title=plan.title,
            declaration=msgspec.to_builtins(task),
            votes=plan.votes,
            questions=plan.questions,
            guidelines=plan.guidelines,
            consent=plan.consent,
            language=plan.language,
            lease_minutes=plan.lease_minutes,
            keeper=hash_token(token),
        )
        items = RoundItem.objects.bulk_create(
            RoundItem(round=made, item=one.item, kind=one.kind, place=place, inputs=one.inputs, gold=one.gold)
            for place, one in enumerate(plan.items)
        )
        ItemTally.objects.bulk_create(
            ItemTally(round=made, item=one, question=question, pilot=one.kind == "pilot")
            for one in items
            if one.kind in ASKED
            for question in plan.questions or [""]
        )
        RoundRater.objects.create(round=made, name=ADJUDICATOR, token=hash_token(make_token()), revoked=True)
    return made, token


def add_raters(of: AnnotationRound, count: int) -> list[tuple[str, str]]:
    """Add raters; return their names and tokens, which cannot be retrieved later."""
    before, made = of.raters.exclude(name=ADJUDICATOR).count(), []
    for number in range(before, before + count):
        token = make_token()
        RoundRater.objects.create(round=of, name=bird(number), token=hash_token(token))
        made.append((bird(number), token))
    return made


def find_round(name: str) -> AnnotationRound:
    found = AnnotationRound.objects.filter(name=name).first()
    if found is None:
        raise WrongUse(unknown("round", name, AnnotationRound.objects.values_list("name", flat=True)))
    return found


def revoke(of: AnnotationRound, names: Sequence[str]) -> None:
    """Revoke the links of raters; their votes remain, and their leases expire."""
    people = of.raters.exclude(name=ADJUDICATOR)
    for name in names:
        if not people.filter(name=name).update(revoked=True):
            raise WrongUse(unknown("rater", name, people.values_list("name", flat=True)))
    ItemLease.objects.filter(rater__in=people.filter(name__in=names), live=True).update(expires=timezone.now())
