"""Score matrix of a suite version and split as arrays, loaded once per revision and read many times."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain, count
from typing import Any

import msgspec
import numpy as np
from django.db import models
from numpy.typing import NDArray

from gluepot.board.models import Entry, Score, SuiteVersion, System
from gluepot.board.standings.columns import TaskColumn, make_columns
from gluepot.board.standings.people import put_people, put_same_items
from gluepot.board.standings.record import Partial, RowScores, ScoreCell
from gluepot.board.standings.revisions import RevisionCache, revision
from gluepot.errors import canonical_name
from gluepot.records import Suite
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.statistics.wilson import standard_error

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Facts:
    """Facts about a system, apart from its scores."""

    id: int
    slug: str
    name: str
    role: str
    family: str
    parameters: int | None
    data_size: float | None
    languages: tuple[str, ...]
    team: str
    open: dict[str, bool | None]
    added: datetime
    private_scorings: int | None = None
    """Number of scores of this suite that its team saw before it became public, for systems submitted here."""
    ran_here: bool = False
    """Whether its answers were produced here by a submitted program."""

    @cached_property
    def ranked(self) -> bool:
        return bool(self.role == System.Role.SYSTEM)

    @cached_property
    def sort_name(self) -> str:
        return self.name.casefold()

    @cached_property
    def folded_family(self) -> str:
        return canonical_name(self.family)

    @cached_property
    def search_text(self) -> str:
        """Text that a search matches against."""
        return f"{self.name} {self.family} {self.team}".casefold()


@dataclass(eq=False)
class ScoreMatrix:
    """Score matrix of entries × systems, an entry being a metric of a task."""

    suite: Suite
    version: int
    split: str
    revision: int
    systems: list[Facts]
    columns: list[TaskColumn]
    entries: dict[tuple[str, str], int]
    """(task, metric) to its index in the arrays."""
    values: Values
    """Shape (entries, systems); NaN where there is no value."""
    low: Values
    high: Values
    verified: NDArray[np.bool_]
    replicates: NDArray[np.float32] | None
    """Shape (entries, systems, resamples); NaN where there are none."""
    methods: NDArray[np.object_]
    """Shape (entries, systems): basis of the interval; empty where there is none."""
    harnesses: NDArray[np.object_]
    """Shape (entries, systems): harness that produced the score; empty where unknown."""
    spreads: Values
    """Shape (entries, systems): standard deviation over repetitions; NaN where none is reported."""
    repetitions: Values
    all_harnesses: dict[str, int] = field(default_factory=dict)
    """Harnesses of this split with their number of scores, most scores first."""
    notes: dict[tuple[int, int], str] = field(default_factory=dict)
    """(entry, system) to a remark on the value."""
    partial: dict[tuple[int, int], Partial] = field(default_factory=dict)
    """(entry, system) to the coverage of a score with skippable items."""
    people: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)
    """(entry, system) to the item, vote and rater counts of a human score."""
    data: dict[str, str] = field(default_factory=dict)
    """Task to the fingerprint of the data that its scores are computed on."""
    same_items: dict[tuple[int, int], float] = field(default_factory=dict)
    """(entry, system) to its value on the items that human raters answered, where these are not all."""
    changed: datetime | None = None
    cells: dict[str, list[ScoreCell | None]] = field(default_factory=dict)
    """Task to its cells by system, created from these arrays."""
    rows: dict[int, RowScores] = field(default_factory=dict)
    """System to the score cells of its row with all columns."""

    _errors: dict[int, Values] = field(default_factory=dict)

    def column(self, name: str) -> TaskColumn | None:
        return next((column for column in self.columns if column.name == name), None)

    def replicates_of(self, entry: int, systems: NDArray[np.intp]) -> NDArray[Any]:
        """Return the replicates of one entry, of shape (systems, resamples); NaN where there are none."""
        return np.full((len(systems), 1), np.nan) if self.replicates is None else self.replicates[entry, systems]

    def errors(self, entry: int) -> Values:
        """Return the standard error of every system, from its resamples or else its interval; NaN where both are unknown."""
        if entry not in self._errors:
            stated = standard_error(self.low[entry], self.high[entry])
            spreads = np.nan if self.replicates is None else self.replicates[entry].std(axis=1)
            self._errors[entry] = np.where(np.isnan(spreads), stated, spreads)
        return self._errors[entry]


def stored_suite(version: SuiteVersion) -> Suite:
    """Return the declared suite, decoded once per record; `order` restores the order of tasks, which PostgreSQL does not preserve."""
    kept: tuple[Any, Suite] | None = version.__dict__.get("_suite")
    if kept is None or kept[0] is not version.declaration:
        suite = msgspec.convert(version.declaration, Suite)
        kept = version.declaration, msgspec.structs.replace(suite, tasks={name: suite.tasks[name] for name in suite.order})
        version.__dict__["_suite"] = kept
    return kept[1]


_READ = (
    *("task", "metric", "value", "low", "high", "verified", "n", "coverage", "answered", "ranked", "reason", "data"),
    *("method", "harness", "spread", "runs", "entry__system_id", "entry__imported"),
)
_fields = RevisionCache[tuple[int, str, str], ScoreMatrix]()
_splits = RevisionCache[int, list[str]]()
_candidates = count(1)


def load_score_matrix(version: SuiteVersion, split: str, at: int, harness: str = "") -> ScoreMatrix:
    """Return the field as of revision `at`, cached; limited to the scores of one harness, if given."""
    return _fields.get((version.pk, split, harness), at, lambda: _read_field(version, split, at, harness))


def splits_of(version: SuiteVersion, at: int) -> list[str]:
    """Return the splits with scores as of revision `at`, most scores first."""

    def count_scores() -> list[str]:
        current = Score.objects.filter(entry__suite=version, current=True, slice="", value__isnull=False)
        counted = current.values("split").annotate(scores=models.Count("pk")).order_by("-scores", "split")
        return [row["split"] for row in counted]

    return _splits.get(version.pk, at, count_scores)


def with_candidate(version: SuiteVersion, split: str, candidate: Facts, scores: Sequence[Score]) -> ScoreMatrix:
    """Return the field with one more system, whose scores are not in the database; never cached."""
    own = [score for score in scores if score.split == split and not score.slice]
    for score in own:
        score.entry__system_id, score.entry__imported = candidate.id, candidate.added  # type: ignore[attr-defined]
    made = _read_field(version, split, revision(), "", candidate, own)
    made.version = -next(_candidates)  # belongs to no page, so that no cached standing is reused
    return made


def _read_field(
    version: SuiteVersion, split: str, at: int, harness: str, candidate: Facts | None = None, more: Sequence[Score] = ()
) -> ScoreMatrix:
    suite = stored_suite(version)
    current = Score.objects.filter(entry__suite=version, split=split, slice="", current=True)
    rows: list[Any] = [*current.values_list(*_READ, named=True), *more]
    made_by = Counter(row.harness for row in rows if row.harness and row.value is not None)
    if harness in made_by:
        current, rows = current.filter(harness=harness), [row for row in rows if row.harness == harness]
    systems = _facts({row.entry__system_id for row in rows}, version) + ([candidate] if candidate else [])
    place = {facts.id: number for number, facts in enumerate(systems)}
    columns = make_columns(suite, rows)
    entries = {key: number for number, key in enumerate((column.name, metric) for column in columns for metric in column.metrics)}
    drawn = current.filter(replicates__isnull=False)
    made = _empty(suite, version.pk, split, at, systems, columns, entries, keep=bool(more) or drawn.exists())
    put_people(made, current, place)
    _put_scores(made, rows, place)
    put_same_items(made, version, place)
    if made.replicates is not None:
        stored = drawn.values_list("task", "metric", "entry__system_id", "replicates").iterator(chunk_size=500)
        own = ((score.task, score.metric, score.entry__system_id, score.replicates) for score in more if score.replicates)  # type: ignore[attr-defined]
        for task, metric, id, values in chain(stored, own):  # noqa: A001
            entry = entries.get((task, metric))
            if entry is not None and not np.isnan(made.values[entry, place[id]]):
                made.replicates[entry, place[id]] = np.frombuffer(values or b"", np.float32)[:RESAMPLES]
    made.changed = max((row.entry__imported for row in rows), default=None)
    made.all_harnesses.update(made_by.most_common())
    return made


def _put_scores(made: ScoreMatrix, rows: list, place: dict[int, int]) -> None:  # type: ignore[type-arg]
    """Write every score into the arrays, with the remarks on it."""
    usual = made.data
    usual.update(_usual_data(rows))
    for row in rows:
        entry = made.entries.get((row.task, row.metric))
        if entry is None or row.value is None:
            continue
        system = place[row.entry__system_id]
        if row.data and row.data != usual[row.task]:
            made.notes[entry, system] = "scored on other data than most systems here, and therefore not shown"
            continue
        partly = not row.ranked and (entry, system) not in made.people  # people answer some of the items and are never ranked
        if row.coverage is not None or partly:
            shown = (row.value, row.low, row.high, row.verified) if partly else None
            made.partial[entry, system] = Partial(row.n, row.coverage, row.answered, shown)
        if partly:
            made.notes[entry, system] = row.reason
            continue
        made.values[entry, system] = row.value
        made.low[entry, system] = np.nan if row.low is None else row.low
        made.high[entry, system] = np.nan if row.high is None else row.high
        made.verified[entry, system] = row.verified
        made.methods[entry, system], made.harnesses[entry, system] = row.method, row.harness
        if row.spread is not None:
            made.spreads[entry, system], made.repetitions[entry, system] = row.spread, row.runs or np.nan
        if row.reason:
            made.notes[entry, system] = row.reason


def _empty(
    suite: Suite,
    version: int,
    split: str,
    at: int,
    systems: list[Facts],
    columns: list[TaskColumn],
    entries: dict[tuple[str, str], int],
    *,
    keep: bool,
) -> ScoreMatrix:
    shape = len(entries), len(systems)
    return ScoreMatrix(
        suite=suite,
        version=version,
        split=split,
        revision=at,
        systems=systems,
        columns=columns,
        entries=entries,
        values=np.full(shape, np.nan),
        low=np.full(shape, np.nan),
        high=np.full(shape, np.nan),
        verified=np.zeros(shape, bool),
        replicates=np.full((*shape, RESAMPLES), np.nan, np.float32) if keep else None,
        methods=np.full(shape, "", object),
        harnesses=np.full(shape, "", object),
        spreads=np.full(shape, np.nan),
        repetitions=np.full(shape, np.nan),
    )


def _usual_data(rows: list) -> dict[str, str]:  # type: ignore[type-arg]
    """Return each task's most frequent data fingerprint, the first by name on ties; scores on other data are not shown."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row.data:
            counts.setdefault(row.task, Counter())[row.data] += 1
    return {task: min(found, key=lambda data: (-found[data], data)) for task, found in counts.items()}


def _facts(ids: set[int], version: SuiteVersion) -> list[Facts]:
    told = Entry.objects.filter(suite=version, superseded=False, details__has_key="scored_in_private").order_by("pk")
    private = dict(told.values_list("system_id", "details__scored_in_private"))
    ran = set(told.filter(details__ran_here=True).values_list("system_id", flat=True))
    return [
        Facts(
            system.pk,
            system.slug,
            system.name,
            system.role,
            system.family,
            system.parameters,
            system.data_size,
            tuple(system.languages),
            system.team,
            {"weights": system.open_weights, "code": system.open_code, "data": system.open_data},
            system.added,
            private.get(system.pk),
            system.pk in ran,
        )
        for system in System.objects.filter(pk__in=ids).order_by("name")
    ]
