"""Heat maps of scores by category: coarse and fine categories as rows, systems of one or several suites as columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from gluepot.board.models import Score, SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.revisions import RevisionCache, revision
from gluepot.board.standings.score_matrix import stored_suite
from gluepot.records import Task

SHADES = 10


@dataclass(frozen=True)
class Candidate:
    """System with scores by category."""

    id: int
    slug: str
    name: str
    role: str
    value: float | None
    """Score on the whole task."""
    categories: int


@dataclass(frozen=True)
class HeatColumn:
    """Column of one system on one diagnostic."""

    suite: str
    version: str
    task: str
    metric: str
    slug: str
    name: str
    address: str


@dataclass(frozen=True)
class HeatCell:
    """A system's score in a category."""

    value: float
    low: float | None
    high: float | None
    n: int | None
    verified: bool
    coverage: float | None = None
    """Share of answered items, where items may be skipped."""

    @property
    def shade(self) -> str:
        """CSS class of its shade; values below zero have a class of their own, which does not rely on colour.

        >>> [HeatCell(value, None, None, 1, True).shade for value in (-0.2, 0.0, 0.55, 1.0)]
        ['below', 'heat-0', 'heat-5', 'heat-9']
        """
        return "below" if self.value < 0 else f"heat-{min(SHADES - 1, int(SHADES * self.value + 1e-9))}"


@dataclass(frozen=True)
class HeatRow:
    """Row of one category."""

    name: str
    coarse: str
    fine: str
    n: list[int]
    """Number of items; several numbers where the suites differ."""
    cells: list[HeatCell | None]


@dataclass(frozen=True)
class Diagnostic:
    """Sliced task of a suite version, with the systems that have scores by category."""

    version: SuiteVersion
    task: Task
    split: str
    candidates: list[Candidate]

    @property
    def metric(self) -> str:
        return self.task.metrics[0]

    @property
    def categories(self) -> frozenset[str]:
        return frozenset(self.task.slices.fields) if self.task.slices else frozenset()


_diagnostics = RevisionCache[int, list[Diagnostic]]()


def diagnostics_of(version: SuiteVersion) -> list[Diagnostic]:
    """Return the sliced tasks with scores by category, true diagnostics first, then by the number of categories."""
    return list(_diagnostics.get(version.pk, revision(), lambda: _read_diagnostics(version)))


def _read_diagnostics(version: SuiteVersion) -> list[Diagnostic]:
    suite = stored_suite(version)
    found = []
    for task in suite.tasks.values():
        if task.slices and (candidates := _candidates(version, task, suite.score_split)):
            found.append(Diagnostic(version, task, suite.score_split, candidates))
    return sorted(found, key=lambda one: (one.task.trained_on is None, -max(c.categories for c in one.candidates)))


def _candidates(version: SuiteVersion, task: Task, split: str) -> list[Candidate]:
    """Return the systems best first, those with every category before those that lack some."""
    current = Score.objects.filter(entry__suite=version, task=task.name, split=split, metric=task.metrics[0], current=True)
    known = current.exclude(value=None)
    counts = dict(
        known.exclude(slice="").values_list("entry__system_id").annotate(count=Count("pk")).values_list("entry__system_id", "count")
    )
    values = dict(known.filter(slice="").values_list("entry__system_id", "value"))
    systems = System.objects.filter(pk__in=counts).order_by("name")
    made = [Candidate(one.pk, one.slug, one.name, one.role, values.get(one.pk), counts[one.pk]) for one in systems]
    most = max(counts.values(), default=0)
    return sorted(made, key=lambda one: (one.categories < most, one.value is None, -(one.value or 0.0)))


def choose(diagnostic: Diagnostic, slugs: Sequence[str], room: int) -> list[Candidate]:
    """Return the named systems in that order, or else the best ones, at least two thirds of them complete if enough are."""
    named = [one for slug in slugs for one in diagnostic.candidates if one.slug == slug]
    if named:
        return named[:room]
    ranked = [one for one in diagnostic.candidates if one.role == System.Role.SYSTEM] or diagnostic.candidates
    most = max(one.categories for one in ranked)
    complete = [one for one in ranked if one.categories == most]
    others = [one for one in ranked if one.categories < most]
    kept = complete[: max(room - len(others), -(-2 * room // 3))]
    return sorted([*kept, *others[: room - len(kept)]], key=lambda one: -(one.value or 0.0))


def heat(chosen: Sequence[tuple[Diagnostic, Sequence[Candidate]]]) -> tuple[list[HeatColumn], list[HeatRow]]:
    """Return the columns and rows; each coarse category precedes its fine ones, whether or not it has scores of its own."""
    columns, cells, sizes = [], list[dict[str, HeatCell]](), dict[str, dict[int, int]]()
    for number, (diagnostic, candidates) in enumerate(chosen):
        found = _cells(diagnostic, candidates)
        for one in candidates:
            columns.append(_column(diagnostic, one))
            cells.append(found.get(one.id, {}))
            for name, cell in cells[-1].items():
                if cell.n is not None:
                    sizes.setdefault(name, {})[number] = cell.n
    names = sorted({name for one in cells for name in one})
    coarse = dict.fromkeys(name.partition("/")[0] for name in names)
    ordered = [one for top in coarse for one in [top, *(name for name in names if name.startswith(f"{top}/"))]]
    rows = []
    for name in ordered:
        top, _, fine = name.partition("/")
        n = list(dict.fromkeys(sizes.get(name, {}).values()))
        rows.append(HeatRow(name, top, fine, n, [one.get(name) for one in cells]))
    return columns, [row for row in rows if row.fine or any(row.cells) or len(coarse) > 1]


def _column(diagnostic: Diagnostic, one: Candidate) -> HeatColumn:
    version = diagnostic.version
    return HeatColumn(
        version.name, version.version, diagnostic.task.name, diagnostic.metric, one.slug, one.name, addresses.system(one.slug)
    )


def _cells(diagnostic: Diagnostic, candidates: Sequence[Candidate]) -> dict[int, dict[str, HeatCell]]:
    rows = Score.objects.filter(
        ~Q(slice=""),
        entry__suite=diagnostic.version,
        entry__system__in=[one.id for one in candidates],
        task=diagnostic.task.name,
        split=diagnostic.split,
        metric=diagnostic.metric,
        current=True,
        value__isnull=False,
    )
    found: dict[int, dict[str, HeatCell]] = {}
    for system, name, *facts in rows.values_list("entry__system_id", "slice", "value", "low", "high", "n", "verified", "coverage"):
        found.setdefault(system, {})[name] = HeatCell(*facts)  # type: ignore[arg-type]
    return found
