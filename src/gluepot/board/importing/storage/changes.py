"""Which shown numbers an entry changes: looked at before it is stored and after, in one transaction."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose

from gluepot.board.importing.drafts import Change
from gluepot.board.models import Measurement, Score, System

CONFIRMED = 0.001
"""A score computed here that differs by less from a reported one confirms it: the last digit of printed tables, however it was rounded."""
Place = tuple[str, str, str, str, str]
"""Suite with version, task, split, metric or quantity, slice or machine."""


@dataclass(frozen=True)
class ShownNumber:
    """One number as the board shows it."""

    value: float
    verified: bool
    source: str


def shown_numbers(system: System) -> dict[Place, ShownNumber]:
    """All numbers of a system that the board shows."""
    found = {}
    columns = ("entry__suite__name", "entry__suite__version", "entry__source", "task", "value")
    scores = Score.objects.filter(entry__system=system, current=True, value__isnull=False)
    for suite, version, source, task, value, split, metric, part, verified in scores.values_list(
        *columns, "split", "metric", "slice", "verified"
    ):
        found[f"{suite} {version}", task, split, metric, part] = ShownNumber(value, verified, source)
    timings = Measurement.objects.filter(entry__system=system, current=True)
    for suite, version, source, task, value, quantity, profile in timings.values_list(*columns, "quantity", "profile"):
        found[f"{suite} {version}", task, "", quantity, profile] = ShownNumber(value, True, source)
    return found


def changes_between(
    system: str, before: dict[Place, ShownNumber], after: dict[Place, ShownNumber], source: str, *, replaced: bool
) -> Iterator[Change]:
    """The numbers that were shown and are others now, or gone; the plain ones first, their slices after them."""
    for place, old in sorted(before.items(), key=lambda item: bool(item[0][4])):
        new = after.get(place)
        if new is None or not _same(old, new):
            suite, task, split, metric, part = place
            value = None if new is None else new.value
            yield Change(system, suite, task, split, metric, part, old.value, value, old.source, source, replaced)


def _same(old: ShownNumber, new: ShownNumber) -> bool:
    if new.verified and not old.verified:
        return abs(new.value - old.value) < CONFIRMED
    return isclose(old.value, new.value, rel_tol=1e-9, abs_tol=1e-12)
