"""Overall values, ranks with intervals and row order for a field of systems and the visitor's state."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.board.standings.aggregates import AGGREGATES, Contest
from gluepot.board.standings.columns import EXACT, best_computed, tied_with_best
from gluepot.board.standings.record import INCOMPLETE, RANKED, REFERENCE, SECTIONS
from gluepot.board.standings.revisions import forget_all
from gluepot.board.standings.score_matrix import Facts, ScoreMatrix, Values
from gluepot.board.standings.state import State
from gluepot.board.standings.terms import Term, make_terms
from gluepot.errors import canonical_name
from gluepot.statistics.bootstrap import LEVEL
from gluepot.statistics.rank_intervals import UNKNOWN, Rank, rank_systems
from gluepot.statistics.score_intervals import mean_interval
from gluepot.statistics.wilson import standard_error

Floats = NDArray[Any]
MANY = 64
"""Standings cached in memory."""
BLOCK = 64
"""Systems whose replicates are summed at a time."""


@dataclass(frozen=True)
class Standing:
    """Overall values and ranks, before searching and sorting."""

    terms: list[Term]
    overall: Values
    covered: NDArray[np.intp]
    """Number of terms that each system has a value for."""
    eligible: NDArray[np.bool_]
    """Mask of the systems that pass the filters."""
    ranks: dict[int, Rank]
    reported: NDArray[np.bool_]
    """Mask of the systems with an only reported value behind the overall number."""
    tied: dict[str, NDArray[np.bool_]]
    """Task to the mask of ranked eligible systems that are statistically tied with the best of them."""
    best: dict[str, float | None]
    """Task to the best computed value of the ranked eligible systems."""

    def sections(self, systems: Sequence[Facts]) -> list[str]:
        """Return the section of each system."""
        complete = (self.covered == len(self.terms)).tolist()
        return [(RANKED if whole else INCOMPLETE) if facts.ranked else REFERENCE for facts, whole in zip(systems, complete, strict=True)]

    @property
    def measured(self) -> int:
        """Number of ranked systems with a known rank interval."""
        return sum(rank.evidence != UNKNOWN for rank in self.ranks.values())

    @property
    def best_overall(self) -> float | None:
        """Best computed overall value among the systems with a known rank interval."""
        known = [place for place, rank in self.ranks.items() if rank.evidence != UNKNOWN and not self.reported[place]]
        return max(self.overall[known].tolist(), default=None)

    @property
    def leaders(self) -> int:
        """Number of these systems that may be the best."""
        return sum(rank.low == 1 for rank in self.ranks.values() if rank.evidence != UNKNOWN)


_kept: OrderedDict[tuple[Any, ...], Standing] = OrderedDict()
_lock = Lock()


def compute_standing(field: ScoreMatrix, state: State) -> Standing:
    """Return the standing for a state, cached across states that differ only in search, sort or page."""
    filters = state.families, state.smallest, state.largest, state.languages, state.open
    key = field.version, field.split, field.revision, state.tasks, state.weights, state.only, state.harness, state.aggregate, filters
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    made = _stand(field, state)
    with _lock:
        _kept[key] = made
        while len(_kept) > MANY:
            _kept.popitem(last=False)
    return made


def forget() -> None:
    """Clear the caches after the database was changed externally."""
    with _lock:
        _kept.clear()
    forget_all()


def _stand(field: ScoreMatrix, state: State) -> Standing:
    terms = make_terms(field, state)
    values = np.stack([term.of(field.values) for term in terms]) if terms else np.empty((0, len(field.systems)))
    covered = (~np.isnan(values)).sum(axis=0)
    eligible = np.array([passes(facts, state) for facts in field.systems], bool)
    complete = covered == len(terms)
    among = eligible & _ranked(field)
    competing = np.flatnonzero(complete & among)
    overall = np.full(len(field.systems), np.nan)
    contest = Contest(values[:, complete], terms, _places(complete, competing), field, np.flatnonzero(complete))
    overall[complete] = np.round(AGGREGATES[state.aggregate].of(contest), EXACT)
    draws: Floats | None = overall_replicates(field, terms, state, competing)
    draws = np.full((len(competing), 1), np.nan) if draws is None else draws
    errors = _overall_errors(field, terms, state, competing)
    ranks = rank_systems(overall[competing], draws, errors=errors) if len(competing) else []
    by_system = dict(zip(competing.tolist(), ranks, strict=True))
    tied = {column.name: tied_with_best(field, column, among) for column in field.columns}
    best = {column.name: best_computed(field, column, among) for column in field.columns}
    return Standing(terms, overall, covered, eligible, by_system, _reported(field, terms), tied, best)


def _overall_errors(field: ScoreMatrix, terms: list[Term], state: State, systems: NDArray[np.intp]) -> Values:
    """Return the standard errors implied by the intervals of overall means; NaN where there is none."""
    if state.aggregate != "mean" or not terms or not len(systems):
        return np.full(len(systems), np.nan)
    low, high = mean_bounds(field, terms, systems)
    return np.asarray(standard_error(low, high))


def _ranked(field: ScoreMatrix) -> NDArray[np.bool_]:
    return np.array([facts.ranked for facts in field.systems], bool)


def _reported(field: ScoreMatrix, terms: list[Term]) -> NDArray[np.bool_]:
    used = [entry for term in terms for entry in (*(part for part, _share in term.parts), term.stand_in) if entry is not None]
    told: NDArray[np.bool_] = ~field.verified[used] & ~np.isnan(field.values[used])
    return np.asarray(told.any(axis=0), bool)


def _places(complete: NDArray[np.bool_], competing: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the indices of the competing systems among the complete ones."""
    return np.cumsum(complete)[competing] - 1


def overall_replicates(field: ScoreMatrix, terms: list[Term], state: State, systems: NDArray[np.intp]) -> NDArray[np.float32] | None:
    """Return the overall replicates, of shape (systems, resamples); None where the aggregate depends on other systems."""
    if field.replicates is None or not AGGREGATES[state.aggregate].alone or not terms:
        return None
    if state.aggregate == "min":
        return np.minimum.reduce([_weighted(field.replicates, list(term.parts), systems) for term in terms])
    whole = sum(term.weight for term in terms)
    shares = [(entry, share * term.weight / whole) for term in terms for entry, share in term.parts]
    total = _weighted(field.replicates, shares, systems)
    if not all(term.parts for term in terms):  # some terms have only a published stand-in, without replicates
        total[:] = np.nan
    return total


def _weighted(replicates: NDArray[np.float32], shares: list[tuple[int, float]], systems: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the weighted sum of some entries' replicates; NaN if there are no entries."""
    total = np.full((len(systems), replicates.shape[2]), 0.0 if shares else np.nan, np.float32)
    part = np.empty((BLOCK, replicates.shape[2]), np.float32)
    for start in range(0, len(systems), BLOCK):  # keeps the summed block in the CPU cache
        block = systems[start : start + BLOCK]
        drawn, sums = part[: len(block)], total[start : start + BLOCK]
        for entry, share in shares:
            np.multiply(replicates[entry, block], np.float32(share), out=drawn)
            sums += drawn
    return total


@dataclass(frozen=True)
class Bounds:
    """Ends of the overall intervals by system; NaN where there is none or it was not requested."""

    low: Values
    high: Values


def overall_bounds(field: ScoreMatrix, terms: list[Term], state: State, systems: Sequence[int]) -> Bounds:
    """Return the overall intervals of the given systems: of a mean from those of its tasks, of a minimum from its replicates."""
    bounds = Bounds(np.full(len(field.systems), np.nan), np.full(len(field.systems), np.nan))
    wanted = np.array(sorted(systems), np.intp)
    if state.aggregate == "mean" and terms and len(wanted):
        bounds.low[wanted], bounds.high[wanted] = mean_bounds(field, terms, wanted)
    elif (draws := overall_replicates(field, terms, state, wanted)) is not None:
        whole = ~np.isnan(draws).any(axis=1)
        if whole.any():
            ends = np.quantile(draws[whole], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
            bounds.low[wanted[whole]], bounds.high[wanted[whole]] = ends
    return bounds


def mean_bounds(field: ScoreMatrix, terms: list[Term], systems: NDArray[np.intp]) -> tuple[Values, Values]:
    """Compute `mean_interval` for many systems; NaN where a part has no interval."""
    weights = np.array([term.weight for term in terms])
    weights /= weights.sum()
    tasks = {entry: task for (task, _metric), entry in field.entries.items()}
    shares: dict[str, list[tuple[int, float]]] = {}
    for term, weight in zip(terms, weights, strict=True):
        if not term.parts:
            return np.full(len(systems), np.nan), np.full(len(systems), np.nan)
        for entry, share in term.parts:
            shares.setdefault(tasks[entry], []).append((entry, weight * share))
    parts = [
        [(share, *(array[entry, systems] for array in (field.values, field.low, field.high))) for entry, share in group]
        for group in shares.values()
    ]
    value = sum(share * of for group in parts for share, of, _, _ in group)
    return mean_interval(value, parts)


def passes(facts: Facts, state: State) -> bool:
    """Return whether a system passes the filters; an unknown value fails every filter on it."""
    size = facts.parameters
    return (
        (not state.families or facts.folded_family in map(canonical_name, state.families))
        and (state.smallest is None or (size is not None and size >= state.smallest))
        and (state.largest is None or (size is not None and size <= state.largest))
        and (not state.languages or bool(set(facts.languages) & set(state.languages)))
        and all(facts.open.get(what) for what in state.open)
    )


def matches_search(facts: Facts, search: str) -> bool:
    """Return whether every search word occurs in the system's name, family or team."""
    return all(word in facts.search_text for word in search.casefold().split())


def _asked(facts: Facts, state: State) -> bool:
    return (not state.search or matches_search(facts, state.search)) and (not state.picked or facts.slug in state.picked)


def order(field: ScoreMatrix, standing: Standing, state: State) -> dict[str, list[int]]:
    """Return the shown systems by section in the requested order; unknown values come last in either direction."""
    anywhere = _shown_somewhere(field)
    shown = [
        number
        for number, (facts, eligible) in enumerate(zip(field.systems, standing.eligible.tolist(), strict=True))
        if facts.slug in state.pinned or (_asked(facts, state) and (eligible if facts.ranked else number in anywhere))
    ]
    keys = sort_keys(field, standing, state.sort)
    by_name = sorted(shown, key=lambda number: field.systems[number].sort_name)
    ordered = sorted((number for number in by_name if keys[number] is not None), key=keys.__getitem__, reverse=state.descending)
    ordered += [number for number in by_name if keys[number] is None]
    pinned = {number for number in shown if field.systems[number].slug in state.pinned}
    names = (REFERENCE, RANKED, INCOMPLETE) if pinned else SECTIONS  # pinned systems come first
    sections: dict[str, list[int]] = {name: [] for name in names}
    places = standing.sections(field.systems)
    for number in ordered:
        section = REFERENCE if number in pinned else places[number]
        if section != INCOMPLETE or not state.hide_incomplete:
            sections[section].append(number)
    return sections


def _shown_somewhere(field: ScoreMatrix) -> set[int]:
    """Return the systems with a value in some column; human runs on splits with withheld gold have none."""
    return {*np.flatnonzero(~np.isnan(field.values).all(axis=0)).tolist(), *(system for _entry, system in field.partial)}


def sort_keys(field: ScoreMatrix, standing: Standing, name: str) -> list[Any]:
    """Return the sort key of each system; None where it is unknown."""
    facts: dict[str, Callable[[Facts], Any]] = {
        "name": lambda one: one.sort_name,
        "family": lambda one: one.family.casefold() or None,
        "parameters": lambda one: one.parameters,
        "data": lambda one: one.data_size,
        "date": lambda one: one.added,
    }
    if name in facts:
        return [facts[name](one) for one in field.systems]
    if name == "coverage":
        return list(standing.covered.tolist())
    column = field.column(name)
    numbers = standing.overall if column is None else field.values[field.entries[name, column.metrics[0]]]
    return [number_or_none(number) for number in numbers.tolist()]


def number_or_none(value: float) -> float | None:
    """Return the value as a plain float; None for NaN."""
    return None if value != value else float(value)
