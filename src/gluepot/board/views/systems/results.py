"""Scores of a system by suite and split: current scores next to stated ones, and the full history."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from gluepot.board.models import Score, Stated, SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.columns import OVERALL
from gluepot.board.standings.ranking import compute_standing, number_or_none, overall_bounds
from gluepot.board.standings.revisions import revision
from gluepot.board.standings.score_matrix import load_score_matrix, stored_suite
from gluepot.board.standings.state import State
from gluepot.records import Suite

Key = tuple[int, str, str, str]
"""Entry, task, split, metric."""


@dataclass(frozen=True)
class ClaimedScore:
    """A stated score next to the one computed here."""

    task: str
    split: str
    metric: str
    stated: float
    computed: float | None
    agrees: bool
    source: str


@dataclass(frozen=True)
class MetricLine:
    """Score of one metric of a task."""

    metric: str
    ranks: bool
    """Whether it is the task's first metric."""
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    coverage: float | None
    """Proportion of items answered, on tasks that allow skipping."""
    answered: float | None
    """Value over the answered items only, where the ranking value is over all items."""
    ranked: bool
    verified: bool
    source: str
    method: str
    """Source of the interval."""
    harness: str
    """Harness that computed the score, with its version, where reported."""
    remark: str
    """Reason for a missing value, or known problems of the value."""
    claim: ClaimedScore | None


@dataclass(frozen=True)
class TaskScores:
    """All metrics of a task, the ranking one first."""

    task: str
    title: str
    address: str
    lines: list[MetricLine]


@dataclass(frozen=True)
class Part:
    """Scores on one split, with the resulting rank."""

    split: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    competing: int
    overall: float | None
    low: float | None
    high: float | None
    covered: int
    terms: int
    tasks: list[TaskScores]


@dataclass(frozen=True)
class SystemResult:
    """Results of a system on one suite."""

    suite: str
    version: str
    title: str
    address: str
    parts: list[Part]
    sliced: bool
    """Whether there are scores by category of a diagnostic."""
    claims: int
    doubts: list[ClaimedScore] = field(default_factory=list)
    """Stated scores that differ from the computed ones, or that cannot be confirmed here."""


@dataclass(frozen=True)
class PastScore:
    """A current or former score."""

    suite: str
    version: str
    task: str
    split: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    coverage: float | None
    verified: bool
    source: str
    imported: datetime
    gluepot: str
    harness: str
    current: bool


def list_results(system: System) -> list[SystemResult]:
    """Return the current scores by suite."""
    return [_result(system, version) for version in _versions(system)]


def _versions(system: System) -> Iterable[SuiteVersion]:
    scored = Score.objects.filter(entry__system=system, current=True).values("entry__suite")
    return SuiteVersion.objects.filter(pk__in=scored).order_by("name", "-pk")


def _result(system: System, version: SuiteVersion) -> SystemResult:
    suite = stored_suite(version)
    rows = Score.objects.filter(entry__system=system, entry__suite=version, current=True)
    claims = _claims(system, version)
    scores = list(rows.filter(slice="").select_related("entry").defer("replicates", "entry__details"))
    splits = sorted({row.split for row in scores}, key=lambda split: (split != suite.score_split, split))
    return SystemResult(
        suite=version.name,
        version=version.version,
        title=suite.title,
        address=addresses.board(version.name, version.version),
        parts=[_part(system, version, suite, split, [row for row in scores if row.split == split], claims) for split in splits],
        sliced=rows.exclude(slice="").exists(),
        claims=len(claims),
        doubts=[claim for claim in claims.values() if not claim.agrees],
    )


def _claims(system: System, version: SuiteVersion) -> dict[Key, ClaimedScore]:
    rows = Stated.objects.filter(entry__system=system, entry__suite=version).order_by("pk")
    names = ("entry_id", "task", "split", "metric", "stated", "computed", "agrees", "entry__source")
    return {(entry, *facts[:3]): ClaimedScore(*facts) for entry, *facts in rows.values_list(*names)}


def _part(system: System, version: SuiteVersion, suite: Suite, split: str, scores: list[Score], claims: dict[Key, ClaimedScore]) -> Part:
    found = load_score_matrix(version, split, revision())
    standing = compute_standing(found, State())
    place = next((number for number, facts in enumerate(found.systems) if facts.id == system.pk), None)
    rank = standing.ranks.get(place) if place is not None else None
    bounds = overall_bounds(found, standing.terms, State(), [] if place is None else [place])
    overall, low, high = (
        number_or_none(values[place]) if place is not None else None for values in (standing.overall, bounds.low, bounds.high)
    )
    return Part(
        split=split,
        rank=rank.rank if rank else None,
        rank_low=rank.low if rank else None,
        rank_high=rank.high if rank else None,
        competing=len(standing.ranks),
        overall=overall,
        low=low,
        high=high,
        covered=int(standing.covered[place]) if place is not None else 0,
        terms=len(standing.terms),
        tasks=_tasks(version, suite, scores, claims),
    )


def _tasks(version: SuiteVersion, suite: Suite, scores: list[Score], claims: dict[Key, ClaimedScore]) -> list[TaskScores]:
    """Group scores by task in the suite's order; scores published for several tasks combined and the published mean come last."""
    by_task: dict[str, list[Score]] = {name: [] for name in suite.tasks}
    for row in sorted(scores, key=lambda row: (row.task == OVERALL, row.pk)):
        by_task.setdefault(row.task, []).append(row)
    made = []
    for name, rows in by_task.items():
        if rows:
            declared = suite.tasks.get(name)
            title, metrics = (declared.title, declared.metrics) if declared else (name, [])
            address = addresses.task(version.name, version.version, name) if declared else ""
            made.append(TaskScores(name, title, address, _lines(rows, metrics, claims)))
    return made


def _lines(rows: Iterable[Score], metrics: list[str], claims: dict[Key, ClaimedScore]) -> list[MetricLine]:
    places = {metric: number for number, metric in enumerate(metrics)}
    return [
        MetricLine(
            row.metric,
            places.get(row.metric, 0) == 0,
            row.value,
            row.low,
            row.high,
            row.n,
            row.coverage,
            row.answered,
            row.ranked,
            row.verified,
            row.entry.source,
            row.method,
            row.harness,
            row.reason,
            claims.get((row.entry_id, row.task, row.split, row.metric)),
        )
        for row in sorted(rows, key=lambda row: places.get(row.metric, len(places)))
    ]


_PAST = ("task", "split", "metric", "value", "low", "high", "n", "coverage", "verified")
_PAST_ENTRY = ("entry__source", "entry__imported", "entry__gluepot", "harness", "current")


def list_history(system: System) -> list[PastScore]:
    """Return every score ever stored, the newest first; scores by category have their own page."""
    rows = Score.objects.filter(entry__system=system, slice="")
    ordered = rows.order_by("-entry__imported", "entry__suite__name", "task", "split", "metric", "pk")
    return [PastScore(*row) for row in ordered.values_list("entry__suite__name", "entry__suite__version", *_PAST, *_PAST_ENTRY)]


def list_rivals(system: System) -> list[tuple[str, str, list[System]]]:
    """Return the title, compare page and other scored systems of each suite."""
    found = []
    for version in _versions(system):
        scored = Score.objects.filter(entry__suite=version, current=True).values("entry__system")
        others = System.objects.filter(pk__in=scored).exclude(pk=system.pk).only("slug", "name").order_by("name")
        title = f"{version.declaration['title']} {version.version}"
        found.append((title, addresses.board(version.name, version.version, "compare"), list(others)))
    return [(title, address, others) for title, address, others in found if others]
