"""Table of raters: number of votes, agreement with others, use of the scale, and reasons for review."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, median, pstdev
from typing import Any

from msgspec import Struct

from gluepot.people.joining import JoinedVotes
from gluepot.people.reading import ReadVotes
from gluepot.people.votes import INDEPENDENT, Vote, label_text
from gluepot.tasks import KINDS

FEW = 10
"""Minimum number of votes by others on the same items for a rater's agreement to be meaningful."""
FAR = 3.0
"""Number of standard errors below the usual agreement at which a rater is flagged for review."""


class RaterRow(Struct, frozen=True):
    """Row of one rater."""

    rater: str
    votes: int
    agreement: float | None
    """Share of the others' votes on the same items that are equal; for numbers, the correlation with the others' means."""
    with_gold: float | None
    """Share of votes equal to the gold answer, where it is known."""
    uses: dict[str, int]
    """Frequency of each answer, the most frequent first."""
    mean: float | None = None
    spread: float | None = None
    seconds: float | None = None
    """Median time per vote."""
    controls: tuple[int, int] | None = None
    """Number of control items answered correctly, and their total."""
    repeats: tuple[int, int] | None = None
    """Number of hidden repeats answered as before, and their total."""
    look: str = ""
    """Why this rater should be reviewed."""


def rater_table(joined: JoinedVotes, read: ReadVotes) -> list[RaterRow]:
    """Return all raters, those to be reviewed first, then by number of votes."""
    numbers = KINDS[joined.task.kind].answer.by_distance
    counted = [vote for vote in read.votes if vote.kind in INDEPENDENT]
    agreements = (_correlations if numbers else _shares)(counted)
    usual = [share for share, others in agreements.values() if share is not None and others >= FEW]
    by_rater: dict[str, list[Vote]] = defaultdict(list)
    for vote in read.votes:
        if vote.kind != "adjudication":
            by_rater[vote.rater].append(vote)
    rows = [_row(rater, votes, joined, agreements.get(rater, (None, 0)), usual, numbers=numbers) for rater, votes in by_rater.items()]
    return sorted(rows, key=lambda row: (not row.look, -row.votes, row.rater))


def _row(
    rater: str, votes: list[Vote], joined: JoinedVotes, agreement: tuple[float | None, int], usual: Sequence[float], *, numbers: bool
) -> RaterRow:
    counted = [vote for vote in votes if vote.kind in INDEPENDENT]
    values = [float(vote.value) for vote in counted] if numbers else []
    seconds = [vote.seconds for vote in counted if vote.seconds is not None]
    row = RaterRow(
        rater=rater,
        votes=len(counted),
        agreement=agreement[0],
        with_gold=None if numbers else _with_gold(counted, joined),
        uses=dict(Counter(label_text(vote.value) for vote in counted).most_common(12)),
        mean=fmean(values) if values else None,
        spread=pstdev(values) if values else None,
        seconds=median(seconds) if seconds else None,
        controls=_kind_right(votes, joined),
        repeats=_repeats(votes),
    )
    return _with_look(row, agreement[1], usual, numbers=numbers)


def _with_look(row: RaterRow, others: int, usual: Sequence[float], *, numbers: bool) -> RaterRow:
    from msgspec.structs import replace

    why = []
    if row.agreement is not None and others >= FEW and len(usual) > 2:
        middle = median(usual)
        error = sqrt(max(middle * (1 - middle), 0.01) / others)
        if row.agreement < middle - max(FAR * error, 0.05):
            why.append(f"agrees with others {row.agreement:.2f}, usual is {middle:.2f}")
    if row.votes >= FEW and len(row.uses) == 1:
        why.append("gave one answer throughout")
    if row.controls and row.controls[0] < row.controls[1] / 2 and row.controls[1] > 2:
        why.append(f"{row.controls[0]} of {row.controls[1]} control items right")
    return replace(row, look="; ".join(why))


def _shares(votes: Sequence[Vote]) -> dict[str, tuple[float | None, int]]:
    """Return for each rater the share of others' votes on the same items that are equal, and the number of these votes."""
    counts: dict[str, Counter[Any]] = defaultdict(Counter)
    for vote in votes:
        counts[vote.item][vote.value] += 1
    equal: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for vote in votes:
        equal[vote.rater] += counts[vote.item][vote.value] - 1
        others[vote.rater] += counts[vote.item].total() - 1
    return {rater: (equal[rater] / count if count else None, count) for rater, count in others.items()}


def _correlations(votes: Sequence[Vote]) -> dict[str, tuple[float | None, int]]:
    """Return for each rater Pearson's r with the mean of the others, and the number of items."""
    from gluepot.metrics import METRICS

    sums: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for vote in votes:
        sums[vote.item] += vote.value
        sizes[vote.item] += 1
    own: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for vote in votes:
        if sizes[vote.item] > 1:
            own[vote.rater].append((float(vote.value), (sums[vote.item] - vote.value) / (sizes[vote.item] - 1)))
    found: dict[str, tuple[float | None, int]] = {}
    for rater, pairs in own.items():
        value = METRICS["pearson"](*zip(*pairs, strict=True)) if len(pairs) > 2 else float("nan")
        found[rater] = (None if value != value else value, len(pairs))
    return found


def _with_gold(votes: Sequence[Vote], joined: JoinedVotes) -> float | None:
    answer = KINDS[joined.task.kind].answer
    merits = [
        answer.merit(example.target, vote.value)
        for vote in votes
        if (example := joined.examples.get(vote.item)) is not None and example.target is not None
    ]
    return fmean(merits) if merits else None


def _kind_right(votes: Sequence[Vote], joined: JoinedVotes) -> tuple[int, int] | None:
    controls = [vote for vote in votes if vote.kind == "control" and (one := joined.examples.get(vote.item)) and one.target is not None]
    answer = KINDS[joined.task.kind].answer
    right = sum(answer.merit(joined.examples[vote.item].target, vote.value) >= 1 for vote in controls)
    return (right, len(controls)) if controls else None


def _repeats(votes: Sequence[Vote]) -> tuple[int, int] | None:
    first = {vote.item: vote.value for vote in votes if vote.kind in INDEPENDENT}
    again = [vote for vote in votes if vote.kind == "repeat" and vote.item in first]
    return (sum(vote.value == first[vote.item] for vote in again), len(again)) if again else None
