"""Trade-offs of quality, throughput and memory: models on the same tasks and machine, and their Pareto frontier."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from gluepot.efficiency.figures import Figures
from gluepot.errors import WrongUse, unknown
from gluepot.statistics.pareto import RangedValue, memberships

Qualities = Mapping[tuple[str, str], RangedValue]
"""Scores from elsewhere, by model and task, for records without one."""


class RangedFigure(Struct, frozen=True):
    """A figure with the ends of its 95 % interval, if they are known."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> RangedValue:
        return self.value, self.low, self.high

    @property
    def negated(self) -> RangedValue:
        """The negated figure, for quantities where less is better."""
        return -self.value, None if self.high is None else -self.high, None if self.low is None else -self.low


class MeasuredPoint(Struct, frozen=True):
    """A model with quality, throughput and memory."""

    model: str
    quality: RangedFigure
    throughput: RangedFigure
    memory_gib: RangedFigure
    frontier: str = ""
    """`on` the Pareto frontier, `open` if the intervals do not decide, or `beaten`."""
    notes: list[str] = []


class Tradeoff(Struct, frozen=True):
    """One plot: models on the mean of some tasks, measured on one kind of machine."""

    suite: str
    split: str
    profile: str
    tasks: list[str]
    points: list[MeasuredPoint]
    lacking: dict[str, list[str]]
    """Models left out, with the tasks on which they lack a score, speed or memory."""


def make_tradeoffs(figures: Sequence[Figures], chosen: Sequence[str] = (), qualities: Qualities | None = None) -> list[Tradeoff]:
    """Return trade-offs per suite and machine: on the chosen tasks, or on the mean of the tasks common to all models, then on each."""
    groups: dict[tuple[str, str, str], list[Figures]] = {}
    for one in figures:
        groups.setdefault((one.suite or "", one.split or "", one.profile.name if one.profile else ""), []).append(one)
    known = list(dict.fromkeys(one.task for one in figures))
    if odd := [name for name in chosen if name not in known]:
        raise WrongUse("; ".join(unknown("measured task", name, known) for name in odd))
    return [_tradeoff(group, rows, tasks, qualities or {}) for group, rows in groups.items() for tasks in _choices(rows, chosen)]


def _choices(rows: Sequence[Figures], chosen: Sequence[str]) -> list[list[str]]:
    tasks = list(dict.fromkeys(row.task for row in rows))
    if chosen:
        return [mine] if (mine := [task for task in tasks if task in chosen]) else []
    models = {row.model for row in rows}
    common = [task for task in tasks if {row.model for row in rows if row.task == task} == models]
    return [*([common] if len(common) > 1 else []), *([task] for task in tasks)]


def _tradeoff(group: tuple[str, str, str], rows: Sequence[Figures], tasks: Sequence[str], qualities: Qualities) -> Tradeoff:
    points, lacking = [], dict[str, list[str]]()
    for model in dict.fromkeys(row.model for row in rows):
        mine = {row.task: row for row in rows if row.model == model}
        parts = {task: _parts(mine.get(task), qualities.get((model, task))) for task in tasks}
        if missing := [task for task, part in parts.items() if part is None]:
            lacking[model] = missing
            continue
        quality, throughput, memory = (mean_figure(part[place] for part in parts.values() if part) for place in range(3))
        notes = [f"{task}: {note}" if len(tasks) > 1 else note for task in tasks for note in mine[task].notes]
        points.append(MeasuredPoint(model, quality, throughput, memory, notes=notes))
    stands = memberships([[one.quality.ends, one.throughput.ends, one.memory_gib.negated] for one in points])
    marked = [replace(point, frontier=stand) for point, stand in zip(points, stands, strict=True)]
    return Tradeoff(*group, list(tasks), sorted(marked, key=lambda point: -point.quality.value), lacking)


def _parts(row: Figures | None, elsewhere: RangedValue | None) -> tuple[RangedFigure, RangedFigure, RangedFigure] | None:
    """Return quality, throughput and memory on one task, or None unless all are known."""
    if row is None or row.throughput is None or row.memory_gib is None:
        return None
    if row.quality is not None and row.quality.value is not None:
        quality = RangedFigure(row.quality.value, row.quality.low, row.quality.high)
    elif elsewhere is not None:
        quality = RangedFigure(*elsewhere)
    else:
        return None
    speed = RangedFigure(row.throughput, row.throughput_low, row.throughput_high)
    return quality, speed, RangedFigure(row.memory_gib, row.memory_low, row.memory_high)


def mean_figure(parts: Iterable[RangedFigure]) -> RangedFigure:
    """Return the arithmetic mean, as in the paper; tasks are measured independently, so their errors add in quadrature.

    >>> mean_figure([RangedFigure(10, 7, 13), RangedFigure(20, 16, 24)])
    RangedFigure(value=15.0, low=12.5, high=17.5)
    """
    known = list(parts)
    value = fmean(part.value for part in known)
    low = _spread([None if part.low is None else part.value - part.low for part in known])
    high = _spread([None if part.high is None else part.high - part.value for part in known])
    return RangedFigure(value, None if low is None else value - low, None if high is None else value + high)


def _spread(gaps: Sequence[float | None]) -> float | None:
    known = [gap for gap in gaps if gap is not None]
    return sqrt(sum(gap**2 for gap in known)) / len(gaps) if len(known) == len(gaps) else None
