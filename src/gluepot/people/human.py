"""Human score of a task: votes are joined to its rows, aggregated per item and scored by its metrics; agreement is reported too."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType

from gluepot.people.aggregation import Consensus, aggregate
from gluepot.people.formats import read_votes
from gluepot.people.joining import JoinAccount, JoinedVotes, join_votes
from gluepot.people.rater_table import RaterRow, rater_table
from gluepot.people.reading import ReadVotes, read_answers
from gluepot.people.scoring import HumanScore, score_people
from gluepot.people.units import decision_votes
from gluepot.people.votes import COUNTED, INDEPENDENT, VoteTable, label_text
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task
from gluepot.statistics.agreement import AgreementValue, UnitVotes, measure_agreement
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.tasks import KINDS

DISAGREEMENTS = 20
"""Maximum number of items listed with the highest disagreement."""


class Disagreement(Struct, frozen=True):
    """Item on which raters disagree."""

    item: str
    votes: dict[str, int]
    consensus: str
    gold: str | None = None


class HumanReport(Struct, frozen=True):
    """Report on the votes on a task."""

    task: str
    split: str
    format: str
    items: int
    votes: int
    raters: int
    votes_an_item: float
    by: str
    ties: int
    """Number of items with tied votes."""
    tie_rule: str
    join: JoinAccount
    scores: list[HumanScore]
    agreement: list[AgreementValue]
    labels: dict[str, float]
    """Frequency of each answer in the consensus; a shared tie counts in part."""
    unanimous: int = 0
    disagreement: list[Disagreement] = []
    """Items with the highest disagreement."""
    against_label: list[Disagreement] = []
    """Items whose consensus contradicts the gold label."""
    rater_table: list[RaterRow] = []
    left_out: dict[str, int] = {}
    """Number of rows that are not votes, by reason."""
    unreadable: dict[str, int] = {}
    """Values that are not valid answers to the task."""
    notices: list[str] = []
    run: str | UnsetType = UNSET
    """Path of the run."""


@dataclass
class HumanVotes:
    """Votes on one task, ready to be scored."""

    suite: Suite
    task: Task
    joined: JoinedVotes
    read: ReadVotes
    items: list[str]
    """Item of each unit."""
    votes: UnitVotes
    consensus: Consensus


def gather(
    suite: Suite, task: Task, table: VoteTable, *, split: str | None = None, by: str = "majority", ties: str = "first"
) -> HumanVotes:
    """Join votes to the task, read them as answers, and aggregate them per item."""
    joined = join_votes(suite, task, table, split)
    read = read_answers(joined)
    counted = [vote for vote in read.votes if vote.kind in COUNTED]
    votes = UnitVotes.of((vote.item, vote.rater, vote.value) for vote in counted)
    items = list(dict.fromkeys(vote.item for vote in counted))
    return HumanVotes(suite, task, joined, read, items, votes, aggregate(votes, KINDS[task.kind].answer, by, ties))


def human_report(
    suite: Suite,
    task: Task,
    paths: Sequence[Path],
    *,
    split: str | None = None,
    by: str = "majority",
    ties: str = "first",
    answer: str | None = None,
    resamples: int = RESAMPLES,
) -> tuple[HumanReport, HumanVotes]:
    """Return the report on vote files, and the votes it is based on."""
    table = read_votes(paths, answer or (task.votes.answer if task.votes else "") or None)
    human = gather(suite, task, table, split=split, by=by, ties=ties)
    votes = human.votes
    report = HumanReport(
        task=task.path,
        split=human.joined.split,
        format=table.format,
        items=votes.units,
        votes=len(votes.unit),
        raters=len({vote.rater for vote in human.read.votes if vote.kind in INDEPENDENT}),
        votes_an_item=len(votes.unit) / max(votes.units, 1),
        by=by,
        ties=human.consensus.ties,
        tie_rule=ties,
        join=human.joined.account,
        scores=score_people(human.joined, human.items, votes, human.consensus, by=by, ties=ties, resamples=resamples),
        agreement=_agreement(human, resamples),
        labels=_labels(task, human.consensus),
        unanimous=sum(len(set(given)) == 1 for given in _given(votes)),
        disagreement=_disagreement(human),
        against_label=_against_label(human),
        rater_table=rater_table(human.joined, human.read),
        left_out=dict(table.left_out),
        unreadable=dict(human.read.unreadable),
        notices=_notices(human, table),
    )
    return report, human


def _agreement(human: HumanVotes, resamples: int) -> list[AgreementValue]:
    """Measure agreement on decisions: one per item, or one per token or option; on the raters' own scale if there is one."""
    answer = KINDS[human.task.kind].answer
    both = [(vote, value) for vote, value in zip(human.read.votes, human.read.said, strict=True) if vote.kind in INDEPENDENT]
    own = [vote for vote, _ in both]
    if answer.per_token or answer.per_option:
        return measure_agreement(decision_votes(own, human.joined.examples), resamples)
    votes = UnitVotes.of((vote.item, vote.rater, vote.value) for vote in own)
    if not answer.by_distance:  # numbers of options are nominal
        votes = UnitVotes(votes.unit, votes.rater, votes.value, votes.values)
    scale = human.task.votes.scale if human.task.votes else []
    finer = UnitVotes.of(((vote.item, vote.rater, label_text(value)) for vote, value in both), scale) if scale else None
    return measure_agreement(votes, resamples, ordered=finer if finer and finer.scale is not None else None)


def _labels(task: Task, consensus: Consensus) -> dict[str, float]:
    """Return the frequency of each answer in the consensus, for categorical answers."""
    if not KINDS[task.kind].answer.categorical:
        return {}
    counts: Counter[str] = Counter()
    for answers in consensus.answers:
        for value, share in answers:
            counts[label_text(value)] += share  # type: ignore[assignment]
    return {label: int(count) if count == int(count) else count for label, count in sorted(counts.items())}


def _given(votes: UnitVotes) -> list[list[int]]:
    given: list[list[int]] = [[] for _ in range(votes.units)]
    for unit, value in zip(votes.unit.tolist(), votes.value.tolist(), strict=True):
        given[unit].append(value)
    return given


def _disagreement(human: HumanVotes) -> list[Disagreement]:
    """Return the items with the smallest share of equal votes; ties go to those with most votes."""
    found = []
    for unit, given in enumerate(_given(human.votes)):
        counts = Counter(given)
        if len(counts) > 1:
            found.append((max(counts.values()) / len(given), -len(given), unit, counts))
    return [_told(human, unit, counts) for _, _, unit, counts in sorted(found, key=lambda one: one[:3])[:DISAGREEMENTS]]


def _against_label(human: HumanVotes) -> list[Disagreement]:
    """Return items whose consensus is not an accepted answer: an error of the raters, or of the label."""
    answer = KINDS[human.task.kind].answer
    rows = []
    for unit, given in enumerate(_given(human.votes)) if answer.categorical else ():
        example, answers = human.joined.examples.get(human.items[unit]), human.consensus.answers[unit]
        if example is not None and example.target is not None and answers and answers[0][0] not in answer.accepted(example.target):
            rows.append(_told(human, unit, Counter(given)))
    return rows


def _told(human: HumanVotes, unit: int, counts: Counter[int]) -> Disagreement:
    example = human.joined.examples.get(human.items[unit])
    return Disagreement(
        human.items[unit],
        {label_text(human.votes.values[value]): count for value, count in counts.most_common()},
        " / ".join(label_text(value) for value, _ in human.consensus.answers[unit]),
        None if example is None or example.target is None else label_text(example.target),
    )


def _notices(human: HumanVotes, table: VoteTable) -> list[str]:
    account, told = human.joined.account, []
    if account.same_rater_twice:
        told.append(f"{pluralize(account.same_rater_twice, 'vote is', 'votes are')} a rater's second on the same item; all of them count.")
    if account.unlike_gold_rows:
        told.append(
            f"{pluralize(account.unlike_gold_rows, 'item is', 'items are')} several rows with different answers; the first row's is taken."
        )
    if human.read.unreadable:
        words = ", ".join(f"{value!r} ({count:,})" for value, count in human.read.unreadable.most_common(5))
        told.append(
            f"{pluralize(sum(human.read.unreadable.values()), 'vote is', 'votes are')} no answer to the task and left out: {words}."
        )
    watched = Counter(vote.kind for vote in table.votes if vote.kind not in COUNTED)
    told += [f"{pluralize(count, f'{kind} vote')} watch over the raters and do not count." for kind, count in watched.items()]
    if _same_as_gold(human):
        told.append("The gold answers are these votes' own mean: the score says nothing about people.")
    return told


def _same_as_gold(human: HumanVotes) -> bool:
    """Return whether the consensus equals gold because gold was computed as the mean of these votes."""
    if not KINDS[human.task.kind].answer.by_distance:
        return False
    pairs = [
        (answers[0][0], example.target)
        for item, answers in zip(human.items, human.consensus.answers, strict=True)
        if answers and (example := human.joined.examples.get(item)) is not None and example.target is not None
    ]
    return len(pairs) > 9 and sum(abs(ours - gold) < 0.01 for ours, gold in pairs) > 0.9 * len(pairs)
