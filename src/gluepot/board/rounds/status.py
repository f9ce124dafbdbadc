"""Status of a round: progress, agreement so far, raters to review; and its votes."""

from collections.abc import Iterator
from typing import Any, cast

import msgspec
from msgspec import Struct

from gluepot.board.rounds.models import AnnotationRound, CastVote
from gluepot.people.joining import JoinAccount, JoinedVotes
from gluepot.people.rater_table import RaterRow, rater_table
from gluepot.people.reading import ReadVotes
from gluepot.people.votes import INDEPENDENT, Vote, VoteKind
from gluepot.records import Example, Task
from gluepot.statistics.agreement import AgreementValue, UnitVotes, measure_agreement
from gluepot.tasks import KINDS

SHOWN = ("alpha-nominal", "alpha-interval", "percent-items")


class RoundStatus(Struct, frozen=True):
    """Status of a round as shown to its keeper."""

    name: str
    task: str
    items: int
    votes_asked: int
    votes_given: int
    done: int
    """Items with all requested votes."""
    raters: int
    active: int
    skipped: int
    comments: list[tuple[str, str, str]]
    agreement: list[AgreementValue]
    table: list[RaterRow]
    closed: bool = False

    @property
    def looks(self) -> int:
        """Number of raters to review."""
        return sum(bool(row.look) for row in self.table)


def round_task(of: AnnotationRound) -> Task:
    return msgspec.convert(of.declaration, Task)


def round_votes(of: AnnotationRound, question: str | None = None) -> Iterator[Vote]:
    """Yield all current votes, except skipped ones, in chronological order."""
    rows = CastVote.objects.filter(item__round=of, current=True, skipped=False).select_related("item", "rater").order_by("at", "pk")
    for row in rows if question is None else rows.filter(question=question):
        kind = cast(VoteKind, "adjudication" if row.adjudicated else row.item.kind)
        yield Vote(
            row.item.item,
            row.rater.name,
            row.value,
            row.at.isoformat(),
            row.seconds,
            of.name,
            kind,
            question=row.question,
            comment=row.comment,
        )


def round_status(of: AnnotationRound, resamples: int = 200) -> RoundStatus:
    """Compute the status of a round from its current votes."""
    questions = of.questions or [""]
    votes = list(round_votes(of, questions[0]))
    items = of.items.filter(kind__in=("main", "pilot")).count()
    given = [vote for vote in round_votes(of) if vote.kind in ("main", "pilot")]
    per_item: dict[str, int] = {}
    for vote in given:
        per_item[vote.item] = per_item.get(vote.item, 0) + 1
    current = CastVote.objects.filter(item__round=of, current=True)
    told = current.exclude(comment="").select_related("item", "rater").order_by("-at")[:20]
    return RoundStatus(
        name=of.name,
        task=of.task,
        items=items,
        votes_asked=items * of.votes * len(questions),
        votes_given=len(given),
        done=sum(count >= of.votes * len(questions) for count in per_item.values()),
        raters=of.raters.filter(revoked=False).count(),
        active=current.filter(adjudicated=False).values("rater").distinct().count(),
        skipped=current.filter(skipped=True).count(),
        comments=[(row.rater.name, row.item.item, row.comment) for row in told],
        agreement=_agreement(votes, resamples),
        table=_table(of, votes),
        closed=of.closed,
    )


def _agreement(votes: list[Vote], resamples: int) -> list[AgreementValue]:
    counted = [(vote.item, vote.rater, _hashable(vote.value)) for vote in votes if vote.kind in INDEPENDENT]
    if not counted:
        return []
    return [one for one in measure_agreement(UnitVotes.of(counted), resamples) if one.measure in SHOWN]


def _table(of: AnnotationRound, votes: list[Vote]) -> list[RaterRow]:
    """Return statistics of each rater; controls are scored against the gold labels from train."""
    task = round_task(of)
    answer = KINDS[task.kind].answer
    golds = of.items.filter(kind__in=("control", "training")).values_list("item", "inputs", "gold")
    examples = {item: Example(item, inputs, answer.from_json(gold)) for item, inputs, gold in golds}
    account = JoinAccount("round", of.split, 0, 0, 0, 0, 0, 0, 0, 0)
    read = [msgspec.structs.replace(vote, value=_hashable(vote.value)) for vote in votes]
    return rater_table(JoinedVotes(task, of.split, read, examples, account), ReadVotes(read, [vote.value for vote in read]))


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
