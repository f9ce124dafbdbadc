"""Detection of shown numbers that an entry changes, by comparison before and after storing it in one transaction."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose

from gluepot.board.importing.drafts import Change
from gluepot.board.models import Measurement, Score, System

CONFIRMED = 0.001
"""A computed score that differs by less from a reported one confirms it: the last digit of printed tables, however rounded."""
Place = tuple[str, str, str, str, str]
"""Suite with version, task, split, metric or quantity, slice or machine profile."""


@dataclass(frozen=True)
class ShownNumber:
    """Number as the board shows it."""

    value: float
    verified: bool
    source: str
    low: float | None = None
    high: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


def shown_numbers(system: System) -> dict[Place, ShownNumber]:
    """Return all numbers of a system that the board shows."""
    found = {}
    columns = ("entry__suite__name", "entry__suite__version", "entry__source", "task", "value", "low", "high")
    scores = Score.objects.filter(entry__system=system, current=True, value__isnull=False)
    for suite, version, source, task, value, low, high, split, metric, part, verified in scores.values_list(
        *columns, "split", "metric", "slice", "verified"
    ):
        found[f"{suite} {version}", task, split, metric, part] = ShownNumber(value, verified, source, low, high)
    timings = Measurement.objects.filter(entry__system=system, current=True)
    for suite, version, source, task, value, low, high, quantity, profile in timings.values_list(*columns, "quantity", "profile"):
        found[f"{suite} {version}", task, "", quantity, profile] = ShownNumber(value, True, source, low, high)
    return found


def changes_between(
    system: str, before: dict[Place, ShownNumber], after: dict[Place, ShownNumber], source: str, *, replaced: bool
) -> Iterator[Change]:
    """Yield the changes of shown numbers that differ now or are gone; plain numbers first, slices after them."""
    for place, old in sorted(before.items(), key=lambda item: bool(item[0][4])):
        new = after.get(place)
        if new is None or not _same(old, new):
            suite, task, split, metric, part = place
            value = None if new is None else new.value
            ends = (old.interval, None if new is None else new.interval) if value is not None and _alike(old.value, value) else None
            yield Change(system, suite, task, split, metric, part, old.value, value, old.source, source, replaced, ends)


def _same(old: ShownNumber, new: ShownNumber) -> bool:
    """Return whether a shown number is unchanged; adding an interval is no change, nor is confirming a reported score by a computed one."""
    if new.verified and not old.verified:
        return abs(new.value - old.value) < CONFIRMED
    if old.interval is not None and (new.interval is None or not all(map(_alike, old.interval, new.interval))):
        return False
    return _alike(old.value, new.value)


def _alike(old: float, new: float) -> bool:
    return isclose(old, new, rel_tol=1e-9, abs_tol=1e-12)
