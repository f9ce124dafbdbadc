"""Provisional rank of a private score: its rank among the public systems, its neighbours, its difference from the best."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from msgspec import Struct, to_builtins
from numpy.typing import NDArray

from gluepot.board.models import Score, SuiteVersion, System
from gluepot.board.standings.columns import TaskColumn
from gluepot.board.standings.gaps import Gap, gap_of
from gluepot.board.standings.pairwise import Duel, corrected_duels, duel_of, overall_of, stored_merits, stored_scores
from gluepot.board.standings.ranking import compute_standing, number_or_none, order, overall_bounds
from gluepot.board.standings.record import INCOMPLETE, RANKED
from gluepot.board.standings.score_matrix import Facts, ScoreMatrix, with_candidate
from gluepot.board.standings.state import State
from gluepot.board.submitting.hidden.ladder import REPEATED

CANDIDATE = 0
"""Id of the private system, which is not in the database."""
AROUND = 3
"""Number of neighbours shown above and below."""
Merits = Mapping[str, NDArray[np.float64]]


class Neighbour(Struct, frozen=True):
    """A row of the standings near the private score."""

    name: str
    slug: str
    rank: int
    rank_low: int | None
    rank_high: int | None
    overall: float
    low: float | None
    high: float | None
    own: bool


class TaskScore(Struct, frozen=True):
    """The private score on one task, compared with the best public one."""

    task: str
    title: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    reason: str
    best: float | None
    best_name: str
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    p: float | None
    verdict: str
    """ahead, behind or undecided; empty without a comparison."""
    repeated: bool = False
    """Whether this repeats the best score so far, because the new one is not significantly better."""


class PrivateScore(Struct, frozen=True):
    """The feedback to a team on its submission."""

    split: str
    overall: float | None
    low: float | None
    high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    of: int
    missing: list[str]
    """Titles of the tasks of the official mean that have no score."""
    best: str
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    tasks: list[TaskScore]
    neighbours: list[Neighbour]
    feedback: str = ""
    """Feedback rule of hidden labels, ladder or half; empty if none are hidden."""


def place(version: SuiteVersion, split: str, name: str, scores: Sequence[Score], merits: Merits, feedback: str = "") -> PrivateScore:
    """Rank a private score among the current public scores."""
    facts = Facts(CANDIDATE, "", name, System.Role.SYSTEM, "", None, None, (), "", {}, datetime.now(UTC))
    field = with_candidate(version, split, facts, scores)
    at = len(field.systems) - 1
    standing = compute_standing(field, State())
    bounds = overall_bounds(field, standing.terms, State(), list(range(len(field.systems))))
    ranked = order(field, standing, State())[RANKED]
    rank = standing.ranks.get(at)
    leader = next((number for number in ranked if number != at), None)
    whole = overall_of(field, CANDIDATE, field.systems[leader].id) if leader is not None and rank else None
    return PrivateScore(
        split=split,
        overall=number_or_none(standing.overall[at]),
        low=number_or_none(bounds.low[at]),
        high=number_or_none(bounds.high[at]),
        rank=rank.rank if rank else None,
        rank_low=rank.low if rank else None,
        rank_high=rank.high if rank else None,
        of=len(standing.ranks),
        missing=_missing(field, at) if standing.sections(field.systems)[at] == INCOMPLETE else [],
        best=field.systems[leader].name if leader is not None else "",
        difference=whole.difference if whole else None,
        difference_low=whole.low if whole else None,
        difference_high=whole.high if whole else None,
        tasks=_tasks(version, field, at, scores, merits),
        neighbours=[_neighbour(field, standing.ranks, standing.overall, bounds, number, at) for number in _around(ranked, at)],
        feedback=feedback,
    )


def _around(ranked: list[int], at: int) -> list[int]:
    if at not in ranked:
        return []
    here = ranked.index(at)
    first = max(0, here - AROUND)
    return ranked[first : here + AROUND + 1]


def _neighbour(field: ScoreMatrix, ranks: Any, overall: Any, bounds: Any, number: int, at: int) -> Neighbour:
    facts, rank = field.systems[number], ranks[number]
    ends = number_or_none(bounds.low[number]), number_or_none(bounds.high[number])
    return Neighbour(facts.name, facts.slug, rank.rank, rank.low, rank.high, float(overall[number]), *ends, number == at)


def _missing(field: ScoreMatrix, at: int) -> list[str]:
    official = [field.suite.tasks[term[0].partition(":")[0]] for term in field.suite.overall.terms]
    has = {name for (name, _), entry in field.entries.items() if not np.isnan(field.values[entry, at])}
    return [task.title for task in official if task.name not in has]


def _tasks(version: SuiteVersion, field: ScoreMatrix, at: int, scores: Sequence[Score], merits: Merits) -> list[TaskScore]:
    """Compare each task with the best public system on it, with p-values corrected for the number of tasks."""
    own = {(score.task, score.metric): score for score in scores if score.split == field.split and not score.slice}
    leaders = {column.name: _leader(field, column, at) for column in field.columns}
    systems = [System(pk=field.systems[number].id) for number in leaders.values() if number is not None]
    stored, gains = stored_scores(version, field.split, systems), stored_merits(version, field.split, systems)
    duels: dict[str, Duel] = {}
    gaps: dict[str, Gap] = {}
    for column in field.columns:
        mine, number = own.get((column.name, column.metrics[0])), leaders[column.name]
        theirs = stored.get((field.systems[number].id, column.name, column.metrics[0])) if number is not None else None
        if mine is not None and mine.value is not None and theirs is not None:
            pair = [merits.get(column.name, np.empty(0)), gains.get((theirs.entry_id, column.name), np.empty(0))]
            gaps[column.name] = gap_of(field.suite.tasks.get(column.name), mine, theirs)
            duels[column.name] = duel_of(column, field.suite.tasks.get(column.name), mine, theirs, pair)
    tested = dict(zip(duels, corrected_duels(list(duels.values()), gaps), strict=True))
    columns = [column for column in field.columns if (column.name, column.metrics[0]) in own]
    return [_task(field, column, own[column.name, column.metrics[0]], leaders[column.name], tested.get(column.name)) for column in columns]


def _leader(field: ScoreMatrix, column: TaskColumn, at: int) -> int | None:
    values = field.values[field.entries[column.name, column.metrics[0]]].copy()
    values[[number for number, facts in enumerate(field.systems) if not facts.ranked or number == at]] = np.nan
    return None if np.isnan(values).all() else int(np.nanargmax(values))


def _task(field: ScoreMatrix, column: TaskColumn, score: Score, leader: int | None, duel: Duel | None) -> TaskScore:
    judged = duel.judged if duel else None
    verdict = "" if judged is None or duel is None else {"a": "ahead", "b": "behind"}.get(duel.winner, "undecided")
    return TaskScore(
        task=column.name,
        title=column.title,
        metric=score.metric,
        value=score.value,
        low=score.low,
        high=score.high,
        n=score.n,
        reason="" if score.reason == REPEATED else score.reason,
        best=None if leader is None else number_or_none(field.values[field.entries[column.name, column.metrics[0]], leader]),
        best_name="" if leader is None else field.systems[leader].name,
        difference=duel.difference if duel else None,
        difference_low=duel.low if duel else None,
        difference_high=duel.high if duel else None,
        p=duel.p_corrected if duel else None,
        verdict=verdict,
        repeated=score.reason == REPEATED,
    )


def document_of(score: PrivateScore, digits: int | None = None) -> dict[str, Any]:
    """Return a private score as plain data for storage, rounded to `digits` if given."""
    document: dict[str, Any] = to_builtins(score)
    return rounded(document, digits) if digits is not None else document


def rounded(value: Any, digits: int) -> Any:
    """Round all floats in a document.

    >>> rounded({"a": [0.12345, None, 3]}, 3)
    {'a': [0.123, None, 3]}
    """
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {name: rounded(one, digits) for name, one in value.items()}
    return [rounded(one, digits) for one in value] if isinstance(value, list) else value
