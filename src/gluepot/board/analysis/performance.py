"""Quality, speed and memory of systems on one hardware profile: on one task, or averaged over the same tasks for all."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np
from django.utils.translation import gettext as _

from gluepot.board.models import Measurement, SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.revisions import RevisionCache
from gluepot.board.standings.score_matrix import ScoreMatrix
from gluepot.board.standings.state import State
from gluepot.board.standings.terms import make_terms
from gluepot.efficiency.figures.tradeoffs import RangedFigure, mean_figure
from gluepot.statistics.pareto import OPEN, RangedValue, memberships
from gluepot.statistics.score_intervals import mean_interval

QUANTITIES = ("throughput", "memory")


@dataclass(frozen=True)
class MeasuredQuantity:
    """A quantity as measured here, and as published."""

    value: float
    low: float | None = None
    high: float | None = None
    reported: float | None = None
    notes: dict[str, str] = field(default_factory=dict)
    """Caveats to be shown next to the number, by task."""


@dataclass(frozen=True)
class SystemQuality:
    """A score, or the mean of several."""

    value: float
    low: float | None
    high: float | None
    verified: bool


@dataclass(frozen=True)
class Point:
    """A system with quality, throughput and memory."""

    slug: str
    name: str
    address: str
    quality: SystemQuality
    throughput: MeasuredQuantity
    memory: MeasuredQuantity
    frontier: str = OPEN
    """`on` the Pareto frontier (by the values, no other is as good on all three and better on one), certainly `beaten`, or `open`."""

    @property
    def notes(self) -> list[str]:
        told = [f"{task}: {note}" for task, note in self.throughput.notes.items()]
        return told + [f"{task}, {_('memory')}: {note}" for task, note in self.memory.notes.items()]


@dataclass(frozen=True)
class ProfileMeasurements:
    """All measurements on one hardware profile, by system, task and quantity."""

    profile: str
    systems: dict[int, System]
    cells: dict[tuple[int, str, str], MeasuredQuantity]

    def tasks(self, system: int) -> set[str]:
        """Return the tasks with both throughput and memory."""
        return {
            task for one, task, quantity in self.cells if one == system and (one, task, "memory") in self.cells and quantity == "throughput"
        }


_profiles = RevisionCache[int, dict[str, int]]()
_benches = RevisionCache[tuple[int, str], ProfileMeasurements]()


def profiles_of(version: SuiteVersion, at: int) -> dict[str, int]:
    """Return the hardware profiles as of revision `at`, with the number of systems measured on each; most first."""
    return _profiles.get(version.pk, at, lambda: _count_profiles(version))


def _count_profiles(version: SuiteVersion) -> dict[str, int]:
    rows = Measurement.objects.filter(entry__suite=version, current=True, quantity="throughput").values_list("profile", "entry__system_id")
    counts: dict[str, int] = {}
    for profile, _system in set(rows):
        counts[profile] = counts.get(profile, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def load_bench(version: SuiteVersion, profile: str, at: int) -> ProfileMeasurements:
    """Return the measurements as of revision `at`, cached in memory; `profile` must have some."""
    return _benches.get((version.pk, profile), at, lambda: _read_bench(version, profile))


def _read_bench(version: SuiteVersion, profile: str) -> ProfileMeasurements:
    rows = Measurement.objects.filter(entry__suite=version, current=True, profile=profile, quantity__in=QUANTITIES, value__gt=0)
    systems, cells = dict[int, System](), dict[tuple[int, str, str], MeasuredQuantity]()
    for row in rows.select_related("entry__system").order_by("entry__system__name"):
        system = row.entry.system
        systems[system.pk] = system
        notes = {row.task: row.note} if row.note and row.entry.kind != "print" else {}
        cells[system.pk, row.task, row.quantity] = MeasuredQuantity(row.value, row.low, row.high, row.reported, notes)
    return ProfileMeasurements(profile, systems, cells)


def make_points(bench: ProfileMeasurements, scores: ScoreMatrix, tasks: Sequence[str]) -> tuple[list[Point], dict[str, list[str]]]:
    """Return the systems with all three quantities on all tasks, best first, and the missing tasks of the others by name."""
    numbers = {facts.id: number for number, facts in enumerate(scores.systems)}
    points, lacking = [], {}
    for pk, system in bench.systems.items():
        measured = bench.tasks(pk)
        quality = {task: _task_quality(scores, task, numbers[pk]) for task in tasks} if pk in numbers else {}
        missing = [task for task in tasks if task not in measured or quality.get(task) is None]
        if missing:
            lacking[system.name] = missing
            continue
        throughput, memory = (mean_of([bench.cells[pk, task, quantity] for task in tasks]) for quantity in QUANTITIES)
        mean = _mean_quality(scores, tasks, numbers[pk])
        points.append(Point(system.slug, system.name, addresses.system(system.slug), mean, throughput, memory))
    places = memberships([_ranges(one) for one in points])
    marked = [replace(point, frontier=place) for point, place in zip(points, places, strict=True)]
    return sorted(marked, key=lambda point: -point.quality.value), lacking


def _ranges(point: Point) -> list[RangedValue]:
    """Return quality, speed and negated memory. A measurement without an interval is taken as exact; a score is not."""
    speed, memory = (_exactly(one) for one in (point.throughput, point.memory))
    less = tuple(None if end is None else -end for end in (memory[0], memory[2], memory[1]))
    return [(point.quality.value, point.quality.low, point.quality.high), speed, less]  # type: ignore[list-item]


def _exactly(one: MeasuredQuantity) -> RangedValue:
    known = one.low is not None and one.high is not None
    return (one.value, one.low, one.high) if known else (one.value, one.value, one.value)


def mean_of(parts: Sequence[MeasuredQuantity]) -> MeasuredQuantity:
    """Return the mean measurement; the published mean only if every part has a published value."""
    mean = mean_figure(RangedFigure(part.value, part.low, part.high) for part in parts)
    printed = [part.reported for part in parts if part.reported is not None]
    reported = fmean(printed) if len(printed) == len(parts) else None
    notes = {task: note for part in parts for task, note in part.notes.items()}
    return MeasuredQuantity(*mean.ends, reported, notes)


def _parts(scores: ScoreMatrix, task: str) -> list[tuple[int, float]]:
    """Return the matrix entries of a task's quality score with their weights; empty if the task has no scores."""
    if scores.column(task) is None:
        return []
    return list(make_terms(scores, State(tasks=(task,)))[0].parts)


def _task_quality(scores: ScoreMatrix, task: str, system: int) -> float | None:
    parts = _parts(scores, task)
    value = float(sum(share * scores.values[entry, system] for entry, share in parts)) if parts else float("nan")
    return None if np.isnan(value) else value


def _mean_quality(scores: ScoreMatrix, tasks: Sequence[str], system: int) -> SystemQuality:
    parts = [[(share / len(tasks), entry) for entry, share in _parts(scores, task)] for task in tasks]
    entries = [entry for group in parts for _share, entry in group]
    value = float(sum(share * scores.values[entry, system] for group in parts for share, entry in group))
    known = [
        [
            (share, float(scores.values[entry, system]), float(scores.low[entry, system]), float(scores.high[entry, system]))
            for share, entry in group
        ]
        for group in parts
    ]
    low, high = (None if np.isnan(end) else end for end in mean_interval(value, known))
    return SystemQuality(value, low, high, bool(scores.verified[entries, system].all()))
