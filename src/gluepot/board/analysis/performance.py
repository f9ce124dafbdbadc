"""Quality, speed and memory of systems on one kind of machine: one task, or the mean over the same tasks for all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

import numpy as np
from django.utils.translation import gettext as _

from gluepot.board.models import Measurement, SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.score_matrix import Field
from gluepot.board.standings.state import State
from gluepot.board.standings.terms import make_terms
from gluepot.statistics.intervals import mean_interval
from gluepot.statistics.pareto import on_frontier

QUANTITIES = ("throughput", "memory")


@dataclass(frozen=True)
class MeasuredQuantity:
    """A quantity as it was measured here, and as it was printed."""

    value: float
    low: float | None = None
    high: float | None = None
    reported: float | None = None
    notes: dict[str, str] = field(default_factory=dict)
    """Task to what must be said beside the number."""


@dataclass(frozen=True)
class SystemQuality:
    """A score, or the mean of several."""

    value: float
    low: float | None
    high: float | None
    verified: bool


@dataclass(frozen=True)
class Point:
    """A system with all three."""

    slug: str
    name: str
    address: str
    quality: SystemQuality
    throughput: MeasuredQuantity
    memory: MeasuredQuantity
    kept: bool = False
    """On the Pareto frontier: none is at least as good on all three and better on one."""

    @property
    def notes(self) -> list[str]:
        told = [f"{task}: {note}" for task, note in self.throughput.notes.items()]
        return told + [f"{task}, {_('memory')}: {note}" for task, note in self.memory.notes.items()]


@dataclass(frozen=True)
class ProfileMeasurements:
    """All measurements of one profile, by system, task and quantity."""

    profile: str
    systems: dict[int, System]
    cells: dict[tuple[int, str, str], MeasuredQuantity]

    def tasks(self, system: int) -> set[str]:
        """Those with speed and memory."""
        return {
            task for one, task, quantity in self.cells if one == system and (one, task, "memory") in self.cells and quantity == "throughput"
        }


def profiles_of(version: SuiteVersion) -> dict[str, int]:
    """The kinds of machines, with the number of systems measured on each; most first."""
    rows = Measurement.objects.filter(entry__suite=version, current=True, quantity="throughput").values_list("profile", "entry__system_id")
    counts: dict[str, int] = {}
    for profile, _system in set(rows):
        counts[profile] = counts.get(profile, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def load_bench(version: SuiteVersion, profile: str) -> ProfileMeasurements:
    rows = Measurement.objects.filter(entry__suite=version, current=True, profile=profile, quantity__in=QUANTITIES, value__gt=0)
    systems, cells = dict[int, System](), dict[tuple[int, str, str], MeasuredQuantity]()
    for row in rows.select_related("entry__system").order_by("entry__system__name"):
        system = row.entry.system
        systems[system.pk] = system
        notes = {row.task: row.note} if row.note and row.entry.kind != "print" else {}
        cells[system.pk, row.task, row.quantity] = MeasuredQuantity(row.value, row.low, row.high, row.reported, notes)
    return ProfileMeasurements(profile, systems, cells)


def make_points(bench: ProfileMeasurements, scores: Field, tasks: Sequence[str]) -> tuple[list[Point], dict[str, list[str]]]:
    """The systems with all three quantities on all tasks, best first; and what the others lack, by name."""
    places = {facts.id: number for number, facts in enumerate(scores.systems)}
    points, lacking = [], {}
    for pk, system in bench.systems.items():
        measured = bench.tasks(pk)
        quality = {task: _task_quality(scores, task, places[pk]) for task in tasks} if pk in places else {}
        missing = [task for task in tasks if task not in measured or quality.get(task) is None]
        if missing:
            lacking[system.name] = missing
            continue
        throughput, memory = (mean_of([bench.cells[pk, task, quantity] for task in tasks]) for quantity in QUANTITIES)
        mean = _mean_quality(scores, tasks, places[pk])
        points.append(Point(system.slug, system.name, addresses.system(system.slug), mean, throughput, memory))
    kept = on_frontier([(one.quality.value, one.throughput.value, -one.memory.value) for one in points])
    marked = [_kept(point, stays) for point, stays in zip(points, kept, strict=True)]
    return sorted(marked, key=lambda point: -point.quality.value), lacking


def _kept(point: Point, kept: bool) -> Point:
    return Point(point.slug, point.name, point.address, point.quality, point.throughput, point.memory, kept)


def mean_of(parts: Sequence[MeasuredQuantity]) -> MeasuredQuantity:
    """The arithmetic mean, as the paper's; tasks were measured one by one, so their errors add up in squares."""
    value = fmean(part.value for part in parts)
    ends = []
    for end in ("low", "high"):
        gaps = [None if getattr(part, end) is None else getattr(part, end) - part.value for part in parts]
        known = [gap for gap in gaps if gap is not None]
        spread = sqrt(sum(gap**2 for gap in known)) / len(parts)
        ends.append((value - spread if end == "low" else value + spread) if len(known) == len(parts) else None)
    printed = [part.reported for part in parts if part.reported is not None]
    reported = fmean(printed) if len(printed) == len(parts) else None
    notes = {task: note for part in parts for task, note in part.notes.items()}
    return MeasuredQuantity(value, ends[0], ends[1], reported, notes)


def _parts(scores: Field, task: str) -> list[tuple[int, float]]:
    """The entries that make a task's quality, with their shares; none where nobody has a score on it."""
    if scores.column(task) is None:
        return []
    return list(make_terms(scores, State(tasks=(task,)))[0].parts)


def _task_quality(scores: Field, task: str, system: int) -> float | None:
    parts = _parts(scores, task)
    value = float(sum(share * scores.values[entry, system] for entry, share in parts)) if parts else float("nan")
    return None if np.isnan(value) else value


def _mean_quality(scores: Field, tasks: Sequence[str], system: int) -> SystemQuality:
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
