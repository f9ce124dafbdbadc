"""Significance of differences between systems: task by task on the same items, corrected for multiple comparisons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb, isnan
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs, to_builtins

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.names import display_name
from gluepot.plurals import pluralize
from gluepot.records import Suite
from gluepot.records.tabular import Tabular, even_rows
from gluepot.runs.comparison.judgement import CERTAIN
from gluepot.runs.comparison.matchup import Matchup
from gluepot.runs.evaluation import run_submission
from gluepot.runs.scores.coverage import Skips, count_skips, fill_skipped
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.naming import distinct_names
from gluepot.runs.storage.store import RunFolder
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.statistics.paired import holm
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.declarations import load_suite

MARGIN = 1.25
"""Factor on the resamples that the correction requires, so that a difference is not narrowly missed."""

Pairs = dict[tuple[str, str], list[PairedAnswers]]
"""Maps (task, split) to the answers of every seed."""


class TaskComparison(Struct, frozen=True, kw_only=True):
    """Comparison of two systems on one task; only their names and the reason where they cannot be compared."""

    a: str
    b: str
    task: str
    split: str
    metric: str
    n: int
    seeds: tuple[int, int]
    """Number of seeds of each system; its value is their mean."""
    resamples: int
    value_a: float | None
    value_b: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_is_bound: bool = False
    p_corrected: float | None = None
    """Holm-corrected over all comparisons of the call."""
    test: str | None = None
    better: int | None = None
    worse: int | None = None
    detectable: float | None = None
    verdict: str = ""
    reason: str | UnsetType = UNSET
    """Reason why they cannot be compared."""

    @property
    def winner(self) -> str:
        """`a`, `b`, or empty if the difference is not significant."""
        if self.p_corrected is None or self.p_corrected >= CERTAIN or not self.difference:
            return ""
        return "a" if self.difference > 0 else "b"


@dataclass
class ComparedSystemRuns:
    """A named system's predictions, with one or more seeds."""

    name: str
    pairs: Pairs


def load_system(path: Path, suite: Suite | None) -> tuple[Suite, ComparedSystemRuns]:
    """Load a run with all its seeds, or a submission to `suite`, which it requires."""
    folder = RunFolder(path)
    if folder.exists():
        manifest = read_manifest(folder)
        if manifest.partial:
            raise WrongUse(f"{path}: a partial run is not compared.")
        found = load_suite(manifest.identity.suite)
        system = _system([run_submission(folder, found, manifest, seed) for seed in manifest.identity.seeds], path)
        system.name = display_name(manifest.identity.model)
        return found, system
    if suite is None:
        raise WrongUse(f"{path}: not a run; say with --suite which suite these predictions answer.")
    return suite, _system([read_submission(suite, path)], path)


class ComparedRuns(Tabular, Struct, frozen=True):
    """Pairwise comparisons of systems on every task that both answered."""

    suite: str
    systems: list[str]
    comparisons: list[TaskComparison]
    skips: list[Skips]
    """Items that systems skipped."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per comparison."""
        return even_rows([to_builtins(row) for row in self.comparisons])

    @property
    def caption(self) -> str:
        return f"{', '.join(self.systems)} on {self.suite}"


def compare_paths(paths: Sequence[Path], suite: Suite | None = None, split: str | None = None, resamples: int = RESAMPLES) -> ComparedRuns:
    """Compare the runs and submissions at the given paths."""
    if len(paths) < 2:
        raise WrongUse("compare needs two systems or more.")
    loaded = [load_system(path, suite) for path in paths]
    if len({found.name for found, _ in loaded}) > 1:
        raise WrongUse("these systems answered different suites.")
    systems = [system for _, system in loaded]
    for system, name in zip(systems, distinct_names([system.name for system in systems], paths), strict=True):
        system.name = name
        system.pairs = {key: pair for key, pair in system.pairs.items() if split in (None, key[1])}
    skips = [skip for system in systems for skip in _count_skips(system)]
    too_few = [str(skip) for skip in skips if skip.unranked]
    if too_few and sum(bool(system.pairs) for system in systems) < 2:
        raise GluepotError(" ".join(too_few))
    return ComparedRuns(loaded[0][0].name, [system.name for system in systems], compare_systems(systems, resamples), skips)


def _count_skips(system: ComparedSystemRuns) -> list[Skips]:
    """Return a system's skips and fill them in: it is compared as it is ranked, over all items; tasks with too few answers are dropped."""
    found = [skips for seeds in system.pairs.values() for pair in seeds if (skips := count_skips(system.name, pair)) is not None]
    too_few = {(skips.task, skips.split) for skips in found if skips.unranked}
    system.pairs = {key: [fill_skipped(pair) for pair in seeds] for key, seeds in system.pairs.items() if key not in too_few}
    return list(dict.fromkeys(found))


def _system(seeds: Sequence[Submission], path: Path) -> ComparedSystemRuns:
    for submission in seeds:
        if count := submission.problems.count():
            raise GluepotError(f"{path}: {pluralize(count, 'problem', 'problems, the first')}: {submission.problems.listed()[0]}")
    places = [(pair.task.name, pair.split) for pair in seeds[0].pairs]
    by_seed = [{(pair.task.name, pair.split): pair for pair in submission.pairs} for submission in seeds]
    return ComparedSystemRuns(
        seeds[0].model, {place: [own[place] for own in by_seed] for place in places if all(place in own for own in by_seed)}
    )


def compare_systems(systems: Sequence[ComparedSystemRuns], resamples: int = RESAMPLES) -> list[TaskComparison]:
    """Compare every pair of systems on every shared task, with as many resamples as the multiple-comparison correction requires."""
    places = list(dict.fromkeys(place for system in systems for place in system.pairs))
    found = {place: [system for system in systems if place in system.pairs and _is_public(system.pairs[place])] for place in places}
    asked = sum(comb(len(there), 2) for there in found.values())
    if not asked:
        raise WrongUse("these systems share no task with published answers.")
    most = max(resamples, ceil(MARGIN * 2 * asked / CERTAIN))
    compared = {(a, b, place): row for place, there in found.items() for a, b, row in _compare_on(place, there, systems, resamples, most)}
    rows = [compared[a, b, place] for a, b in combinations(range(len(systems)), 2) for place in places if (a, b, place) in compared]
    corrected = iter(holm([row.p for row in rows if row.p is not None]))
    rows = [row if row.p is None else structs.replace(row, p_corrected=next(corrected)) for row in rows]
    return [structs.replace(row, verdict=verdict(row)) for row in rows]


def _is_public(pairs: list[PairedAnswers]) -> bool:
    return pairs[0].examples[0].target is not None


def _compare_on(
    place: tuple[str, str], there: Sequence[ComparedSystemRuns], systems: Sequence[ComparedSystemRuns], least: int, most: int
) -> Iterator[tuple[int, int, TaskComparison]]:
    """Compare every pair of systems on one task: jointly if all answered all items, otherwise pair by pair."""
    skipped = any(None in paired.outputs for system in there for paired in system.pairs[place])
    for together in combinations(there, 2) if skipped else [tuple(there)]:
        matchup = Matchup([system.pairs[place] for system in together])
        judged = matchup.judge(least, most)
        for a, b in combinations(range(len(together)), 2):
            row = _row(matchup, together, a, b)
            made = structs.replace(row, **structs.asdict(judged[a, b])) if (a, b) in judged else row
            yield *sorted(_position(systems, together[number]) for number in (a, b)), made  # type: ignore[misc]


def _position(systems: Sequence[ComparedSystemRuns], wanted: ComparedSystemRuns) -> int:
    """Return the position of this system by identity, since another system may have equal answers."""
    return next(number for number, system in enumerate(systems) if system is wanted)


def _row(matchup: Matchup, systems: Sequence[ComparedSystemRuns], a: int, b: int) -> TaskComparison:
    names, values = (systems[a].name, systems[b].name), (matchup.values[a], matchup.values[b])
    undefined = [name for name, value in zip(names, values, strict=True) if isnan(value)]
    return TaskComparison(
        a=names[0],
        b=names[1],
        task=matchup.task.name,
        split=matchup.split,
        metric=matchup.metric,
        n=matchup.n,
        seeds=(len(matchup.samples[a]), len(matchup.samples[b])),
        resamples=min(len(matchup.drawn[a]), len(matchup.drawn[b])),
        value_a=None if isnan(values[0]) else values[0],
        value_b=None if isnan(values[1]) else values[1],
        reason=f"{matchup.metric} is undefined for {' and '.join(undefined)}" if undefined else UNSET,
    )


def verdict(row: TaskComparison) -> str:
    """Return the outcome of the comparison in words."""
    if row.winner:
        first, second = (row.a, row.b) if row.winner == "a" else (row.b, row.a)
        return f"{first} is better than {second}"
    if row.reason is not UNSET:
        return f"not compared: {row.reason}"
    if row.p_is_bound and row.difference:
        return f"not decided: {pluralize(row.resamples, 'resample is', 'resamples are')} too few for so many comparisons"
    rarely = "" if row.detectable is None else f"; a difference below {row.detectable:.3f} would rarely be seen here"
    return f"cannot be told apart{rarely}"
