"""All numbers of one suite version and split, as arrays: loaded once a change, asked a thousand times."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

import msgspec
import numpy as np
from django.db import models
from numpy.typing import NDArray

from gluepot.board.models import Revision, Score, SuiteVersion, System
from gluepot.records import Suite
from gluepot.statistics.bootstrap import RESAMPLES

Values = NDArray[np.float64]
OVERALL = "overall"


@dataclass(frozen=True)
class Facts:
    """What is known of a system, apart from its scores."""

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

    @property
    def ranked(self) -> bool:
        return self.role == System.Role.SYSTEM


@dataclass(frozen=True)
class TaskColumn:
    """A task as the table shows it: the metric that ranks, further ones that count, and how sure its numbers can be."""

    name: str
    title: str
    metrics: tuple[str, ...]
    """The first one ranks; the others stand below it."""
    official: bool
    n: int | None
    terms: tuple[int, ...] = ()
    """The terms of the official mean that it belongs to."""
    declared: bool = True
    """Whether it is a task of the suite; otherwise several tasks that were printed as one."""
    counted: tuple[str, ...] = ()
    """The metrics whose mean counts, where that is not the first one alone."""
    skips: bool = False
    """Whether its items may be left out."""


@dataclass(frozen=True)
class Partial:
    """A score of a system that may leave items out: how many it answered, and what it scores on these."""

    n: int | None
    coverage: float | None
    answered: float | None
    """Over the answered items alone, where the value that ranks is over all of them."""
    unranked: tuple[float, float | None, float | None, bool] | None = None
    """Value, ends of its interval and whether it was computed here, where it is shown but does not rank."""


@dataclass(eq=False)
class Field:
    """Systems × entries, an entry being a task's metric."""

    suite: Suite
    version: int
    split: str
    revision: int
    systems: list[Facts]
    columns: list[TaskColumn]
    entries: dict[tuple[str, str], int]
    """(task, metric) to its place in the arrays."""
    values: Values
    """(entries, systems); NaN where there is none."""
    low: Values
    high: Values
    verified: NDArray[np.bool_]
    replicates: NDArray[np.float32] | None
    """(entries, systems, resamples); NaN where there are none."""
    notes: dict[tuple[int, int], str] = field(default_factory=dict)
    """(entry, system) to what must be said of the value."""
    partial: dict[tuple[int, int], Partial] = field(default_factory=dict)
    """(entry, system) to what is known of items that were left out."""
    changed: datetime | None = None

    def column(self, name: str) -> TaskColumn | None:
        return next((column for column in self.columns if column.name == name), None)


def revision() -> int:
    """The number of the last change."""
    return Revision.objects.values_list("number", flat=True).first() or 0


def stored_suite(version: SuiteVersion) -> Suite:
    """The declared suite; PostgreSQL does not keep the order of its tasks, so `order` gives it back."""
    suite = msgspec.convert(version.declaration, Suite)
    return msgspec.structs.replace(suite, tasks={name: suite.tasks[name] for name in suite.order})


_READ = (
    *("task", "metric", "value", "low", "high", "verified", "n", "coverage", "answered", "ranked", "reason", "data"),
    *("entry__system_id", "entry__imported"),
)
_fields: dict[tuple[int, str], Field] = {}
_splits: dict[int, tuple[int, list[str]]] = {}
_lock = Lock()


def load_field(version: SuiteVersion, split: str, at: int) -> Field:
    """The field as of revision `at`, from memory where it is there."""
    key = version.pk, split
    with _lock:
        if key not in _fields or _fields[key].revision != at:
            _fields[key] = _read_field(version, split, at)
        return _fields[key]


def forget_fields() -> None:
    with _lock:
        _fields.clear()
        _splits.clear()


def splits_of(version: SuiteVersion, at: int) -> list[str]:
    """The splits with scores as of revision `at`, most scores first."""
    kept = _splits.get(version.pk)
    if kept is None or kept[0] != at:
        current = Score.objects.filter(entry__suite=version, current=True, slice="", value__isnull=False)
        counted = current.values("split").annotate(scores=models.Count("pk")).order_by("-scores", "split")
        kept = _splits[version.pk] = at, [row["split"] for row in counted]
    return kept[1]


def _read_field(version: SuiteVersion, split: str, at: int) -> Field:
    suite = stored_suite(version)
    current = Score.objects.filter(entry__suite=version, split=split, slice="", current=True)
    rows = list(current.values_list(*_READ, named=True))
    systems = _facts({row.entry__system_id for row in rows})
    place = {facts.id: number for number, facts in enumerate(systems)}
    columns = _columns(suite, rows)
    entries = {key: number for number, key in enumerate((column.name, metric) for column in columns for metric in column.metrics)}
    drawn = current.filter(replicates__isnull=False)
    made = _empty(suite, version.pk, split, at, systems, columns, entries, keep=drawn.exists())
    usual = _usual_data(rows)
    for row in rows:
        entry = entries.get((row.task, row.metric))
        if entry is None or row.value is None:
            continue
        system = place[row.entry__system_id]
        if row.data and row.data != usual[row.task]:
            made.notes[entry, system] = "scored on other data than most systems here, and therefore not shown"
            continue
        if row.coverage is not None or not row.ranked:
            shown = None if row.ranked else (row.value, row.low, row.high, row.verified)
            made.partial[entry, system] = Partial(row.n, row.coverage, row.answered, shown)
        if not row.ranked:
            made.notes[entry, system] = row.reason
            continue
        made.values[entry, system] = row.value
        made.low[entry, system] = np.nan if row.low is None else row.low
        made.high[entry, system] = np.nan if row.high is None else row.high
        made.verified[entry, system] = row.verified
        if row.reason:
            made.notes[entry, system] = row.reason
    if made.replicates is not None:
        for task, metric, id, values in drawn.values_list("task", "metric", "entry__system_id", "replicates").iterator(chunk_size=500):  # noqa: A001
            entry = entries.get((task, metric))
            if entry is not None and not np.isnan(made.values[entry, place[id]]):
                made.replicates[entry, place[id]] = np.frombuffer(values or b"", np.float32)[:RESAMPLES]
    made.changed = max((row.entry__imported for row in rows), default=None)
    return made


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
) -> Field:
    shape = len(entries), len(systems)
    return Field(
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
    )


def _usual_data(rows: list) -> dict[str, str]:  # type: ignore[type-arg]
    """The fingerprint that most of a task's scores were computed on: others do not share its column."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.task, Counter())[row.data] += bool(row.data)
    return {task: found.most_common(1)[0][0] for task, found in counts.items()}


def whole_size(row: Any) -> int:
    """How many items a score is about, answered or not."""
    return round(row.n / row.coverage) if row.coverage else int(row.n or 0)


def _facts(ids: set[int]) -> list[Facts]:
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
        )
        for system in System.objects.filter(pk__in=ids).order_by("name")
    ]


def _columns(suite: Suite, rows: list) -> list[TaskColumn]:  # type: ignore[type-arg]
    """The tasks that anybody has a score for, the official ones first; and parts that were only ever printed as one."""
    present = {(row.task, row.metric) for row in rows if row.value is not None}
    sizes: dict[str, int] = {row.task: whole_size(row) for row in rows if row.n}
    entries = [(number, *entry.partition(":")[::2]) for number, term in enumerate(suite.overall.terms) for entry in term]
    columns = []
    for name, task in suite.tasks.items():
        metrics = list(dict.fromkeys([task.metrics[0], *(metric for _, other, metric in entries if other == name and metric)]))
        terms = tuple(dict.fromkeys(number for number, other, _ in entries if other == name))
        if any((name, metric) in present for metric in metrics):
            counted = tuple(metric for _, other, metric in entries if other == name and metric)
            counted = () if counted == (metrics[0],) else counted
            n = sizes.get(name)
            columns.append(TaskColumn(name, task.title, tuple(metrics), bool(terms), n, terms, counted=counted, skips=task.may_skip))
    printed = sorted({(task, metric) for task, metric in present if task not in suite.tasks and task != OVERALL})
    for name, metric in printed:
        terms = tuple(number for number, term in enumerate(suite.overall.terms) if all(entry.startswith(f"{name}_") for entry in term))
        columns.append(TaskColumn(name, name.upper(), (metric,), bool(terms), sizes.get(name), terms, declared=False))
    return sorted(columns, key=lambda column: not column.official)
