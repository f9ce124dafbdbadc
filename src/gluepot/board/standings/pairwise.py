"""Pairwise comparison of two systems by task: paired tests on shared items and resamples, corrected for the number of tasks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from gluepot.board.models import Answers, Score, SuiteVersion, System
from gluepot.board.standings.columns import TaskColumn, whole_size
from gluepot.board.standings.gaps import HIDDEN_DIGITS, Gap, bounded, gap_of, rounded_end
from gluepot.board.standings.ranking import mean_bounds
from gluepot.board.standings.revisions import RevisionCache
from gluepot.board.standings.score_matrix import ScoreMatrix
from gluepot.board.standings.state import State
from gluepot.board.standings.terms import Term, make_terms
from gluepot.records import Task
from gluepot.runs.comparison.judgement import CERTAIN, DifferenceTest, compare_intervals, judge
from gluepot.statistics.bootstrap import interval
from gluepot.statistics.independent import BoundedScore, difference_interval
from gluepot.statistics.paired import holm

Floats = NDArray[np.float64]
REPORTED, OTHER_DATA, OTHER_ITEMS, UNDRAWN = "reported", "other-data", "other-items", "no-resamples"
"""Reasons for not testing a difference."""
_fought = RevisionCache[tuple[int, str, int, int], list["Duel"]]()


@dataclass(frozen=True)
class Quarters:
    """Number of items answered correctly by both systems, by only one of them, or by neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


@dataclass(frozen=True)
class Duel:
    """Comparison of two systems on one task."""

    task: str
    title: str
    metric: str
    n: int | None
    a: float
    b: float
    difference: float | None
    """None where the two were scored on different data."""
    judged: DifferenceTest | None
    p_corrected: float | None = None
    """Holm-corrected over the tasks of the page."""
    low: float | None = None
    """Lower end of the matching interval, which contains zero exactly where the corrected test is not significant."""
    high: float | None = None
    quarters: Quarters | None = None
    untested: str = ""
    a_reported: bool = False
    """Whether the score of `a` was only reported rather than computed here."""
    b_reported: bool = False

    @property
    def undecided(self) -> bool:
        """Whether the stored resamples are too few for this number of tasks."""
        return self.judged is not None and self.p_corrected is not None and self.judged.undecided(self.p_corrected)

    @property
    def winner(self) -> str:
        """`a` or `b`; empty where the difference is not significant."""
        if self.p_corrected is None or self.p_corrected >= CERTAIN or not self.difference:
            return ""
        return "a" if self.difference > 0 else "b"


@dataclass(frozen=True)
class OverallComparison:
    """Comparison of the official means over the terms that both systems have."""

    terms: int
    of: int
    a: float
    b: float
    difference: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    """Share of resamples in which `a` is ahead; None where the interval is derived from those of the two means."""

    @property
    def winner(self) -> str:
        """`a` or `b` where the interval excludes zero; empty otherwise."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return ""
        return "a" if self.low > 0 else "b"


def compare_by_task(version: SuiteVersion, field: ScoreMatrix, a: System, b: System) -> list[Duel]:
    """Return the duels on all tasks that both have a score on, in column order; cached, as many languages and formats show them."""
    return _fought.get((version.pk, field.split, a.pk, b.pk), field.revision, lambda: _fight(version, field, a, b))


def _fight(version: SuiteVersion, field: ScoreMatrix, a: System, b: System) -> list[Duel]:
    scores = stored_scores(version, field.split, (a, b))
    merits = stored_merits(version, field.split, (a, b))
    duels: list[Duel] = []
    gaps: dict[str, Gap] = {}
    for column in field.columns:
        first, second = (scores.get((system.pk, column.name, column.metrics[0])) for system in (a, b))
        if first is not None and second is not None:
            gaps[column.name] = gap_of(field.suite.tasks.get(column.name), first, second)
            gains = [merits.get((score.entry_id, column.name), np.empty(0)) for score in (first, second)]
            duels.append(duel_of(column, field.suite.tasks.get(column.name), first, second, gains))
    return corrected_duels(duels, gaps)


def stored_scores(version: SuiteVersion, split: str, systems: Iterable[System]) -> dict[tuple[int, str, str], Score]:
    current = Score.objects.filter(entry__suite=version, entry__system__in=systems, split=split, slice="", current=True, ranked=True)
    rows = current.filter(value__isnull=False)
    return {(row.entry.system_id, row.task, row.metric): row for row in rows.select_related("entry").defer("entry__details")}


def stored_merits(version: SuiteVersion, split: str, systems: Iterable[System]) -> dict[tuple[int, str], Floats]:
    """Return the merit of each answer by entry and task, averaged over seeds."""
    found: dict[tuple[int, str], list[Floats]] = {}
    rows = Answers.objects.filter(entry__suite=version, entry__system__in=systems, split=split).order_by("seed", "pk")
    for entry, task, packed in rows.values_list("entry_id", "task", "merits"):
        found.setdefault((entry, task), []).append(np.frombuffer(packed, np.float32).astype(float))
    return {key: np.mean(same, axis=0) for key, same in found.items() if len({len(one) for one in same}) == 1}


def duel_of(column: TaskColumn, task: Task | None, first: Score, second: Score, merits: list[Floats]) -> Duel:
    """Compare two scores of a task on their items, or by their intervals where one was only reported; p is not yet corrected."""
    a, b = float(first.value or 0), float(second.value or 0)
    items = whole_size(first) if first.n and second.n and whole_size(first) == whole_size(second) else None
    plain = Duel(column.name, column.title, first.metric, items, a, b, a - b, None)
    plain = replace(plain, a_reported=not first.verified, b_reported=not second.verified)
    hidden = task is not None and first.split in task.data.unlabelled
    if reason := _untested(first, second):
        ends = bounded(first), bounded(second)
        if reason in (REPORTED, UNDRAWN) and ends[0] and ends[1]:
            judged = compare_intervals(ends[0], ends[1])
            return replace(plain, judged=_rounded(judged) if hidden else judged)
        return replace(plain, untested=reason, difference=None if reason == OTHER_DATA else a - b)
    pair = _paired(merits)
    draws = [np.frombuffer(score.replicates or b"", np.float32).astype(float) for score in (first, second)]
    judged = judge(first.metric, (a, b), draws, pair[0] - pair[1], grouped=task is not None and "group" in task.fields)
    return replace(plain, judged=_rounded(judged) if hidden else judged, quarters=_quarters(*pair))


def _untested(first: Score, second: Score) -> str:
    if first.data and second.data and first.data != second.data:
        return OTHER_DATA
    if not (first.verified and second.verified):
        return REPORTED
    if first.replicates is None or second.replicates is None or len(first.replicates) != len(second.replicates):
        return UNDRAWN
    return OTHER_ITEMS if whole_size(first) != whole_size(second) else ""


def _paired(merits: list[Floats]) -> tuple[Floats, Floats]:
    """Return the merits of the items that both answered; empty where the two differ in length."""
    first, second = merits
    if len(first) != len(second):
        return np.empty(0), np.empty(0)
    kept = ~(np.isnan(first) | np.isnan(second))
    return first[kept], second[kept]


def _quarters(first: Floats, second: Floats) -> Quarters | None:
    if not len(first) or not np.isin(first, (0, 1)).all() or not np.isin(second, (0, 1)).all():
        return None
    a, b = first > 0, second > 0
    return Quarters(*(int(part.sum()) for part in (a & b, a & ~b, b & ~a, ~(a | b))))


def _rounded(judged: DifferenceTest) -> DifferenceTest:
    ends: dict[str, Any] = {name: getattr(judged, name) for name in ("low", "high", "detectable", "p")}
    return structs.replace(judged, **{name: None if value is None else round(value, HIDDEN_DIGITS) for name, value in ends.items()})


def corrected_duels(duels: list[Duel], gaps: Mapping[str, Gap]) -> list[Duel]:
    """Return the duels with Holm-corrected p-values over all tested tasks, and intervals at the matching levels.

    From Holm's first non-significant step on, that step's level applies to all remaining tasks.
    """
    p_values = [duel.judged.p for duel in duels if duel.judged]
    corrected, order = holm(p_values), iter(np.argsort(np.argsort(p_values, kind="stable")).tolist())
    decided = sum(p < CERTAIN for p in corrected)
    made, waiting = [], iter(corrected)
    for duel in duels:
        if duel.judged is None:
            made.append(duel)
            continue
        p, share = next(waiting), CERTAIN / (len(p_values) - min(next(order), decided))
        gap = gaps[duel.task]
        low, high = gap.interval(duel.difference or 0.0, p, 1 - share)
        made.append(replace(duel, p_corrected=p, low=rounded_end(low, gap.digits), high=rounded_end(high, gap.digits)))
    return made


def overall(field: ScoreMatrix, a: System, b: System) -> OverallComparison | None:
    """Compare the means over the official terms that both have, with an interval from shared resamples or from their scores' intervals."""
    return overall_of(field, a.pk, b.pk)


def overall_of(field: ScoreMatrix, a: int, b: int) -> OverallComparison | None:
    """Return the same for two systems of the field by their ids; one of them may be absent from the database."""
    places = {facts.id: number for number, facts in enumerate(field.systems)}
    if a not in places or b not in places:
        return None
    both = [places[a], places[b]]
    terms = make_terms(field, State())
    values = [term.of(field.values)[both] for term in terms]
    shared = [number for number, value in enumerate(values) if not np.isnan(value).any()]
    if not shared:
        return None
    first, second = np.mean([values[number] for number in shared], axis=0).tolist()
    made = OverallComparison(len(shared), len(terms), first, second, first - second)
    if any(not terms[number].parts for number in shared):
        return made
    if field.replicates is None:
        return _apart(field, [terms[number] for number in shared], both, made)
    drawn = np.mean([_drawn(field, terms[number], both) for number in shared], axis=0)
    gaps = drawn[0] - drawn[1]
    if np.isnan(gaps).all():
        return _apart(field, [terms[number] for number in shared], both, made)
    low, high = interval(gaps) or (None, None)
    known = gaps[~np.isnan(gaps)]
    return replace(made, low=low, high=high, chance=float(((known > 0) + 0.5 * (known == 0)).mean()))


def _apart(field: ScoreMatrix, terms: list[Term], systems: list[int], made: OverallComparison) -> OverallComparison:
    """Add the interval derived from those of the two means, if they have one."""
    ends = [end.tolist() for end in mean_bounds(field, terms, np.array(systems))]
    if np.isnan(ends).any():
        return made
    a, b = (BoundedScore(value, low, high) for value, low, high in zip((made.a, made.b), *ends, strict=True))
    low, high = difference_interval(a, b)
    return replace(made, low=low, high=high)


def _drawn(field: ScoreMatrix, term: Term, systems: list[int]) -> Floats:
    assert field.replicates is not None
    return np.sum([share * field.replicates[entry, systems].astype(float) for entry, share in term.parts], axis=0)
