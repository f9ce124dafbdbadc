"""Recomputation of published tables, cell by cell: identical, different and why, or why it cannot be recomputed."""

from pathlib import Path

from msgspec import Struct

from gluepot.records import Suite
from gluepot.runs.evidence import Evidence
from gluepot.tasks.published_results import Errata, PublishedResult, load_errata, load_published

ROUNDING = 0.5 + 1e-9
"""Half a unit in the last printed digit."""
NOTHING = "Nothing was named to compute it from: give a PATH with predictions, timings or records."
NOT_THERE = "Nothing at the named PATH gives it."


class ReproducedCell(Struct, frozen=True):
    """A published cell next to our value."""

    source: str
    model: str
    task: str
    slice: str | None
    split: str
    metric: str
    theirs: float
    ours: float | None
    mark: str
    """`=` same printed digits, `~` last digit differs by one, `≠` different, `?` no evidence to compute it from."""
    how: str = ""
    note: str = ""
    """Reason for the difference, or for the missing value."""
    statistic: str | None = None


def reproduce(suite: Suite, path: Path | None) -> list[ReproducedCell]:
    """Compare every published cell of a suite with our value, where it can be computed."""
    published, errata = load_published(suite), load_errata(suite)
    evidence = Evidence(suite, path, published)
    return [judge(cell, *evidence.value(cell), errata, NOT_THERE if path else NOTHING) for cell in published]


def judge(cell: PublishedResult, ours: float | None, how: str, errata: Errata, otherwise: str = NOTHING) -> ReproducedCell:
    """Compare a published cell with our value, which counts as the same if it rounds to the printed digits."""
    unit = 10**-cell.decimals
    gap = abs(ours * cell.scale - cell.value) / unit if ours is not None else 0.0
    mark = "?" if ours is None else "=" if gap <= ROUNDING else "~" if gap <= 1 + ROUNDING else "≠"
    return ReproducedCell(
        source=cell.source,
        model=cell.model,
        task=cell.task,
        slice=cell.slice,
        split=cell.split,
        metric=cell.metric,
        theirs=cell.value,
        ours=None if ours is None else ours * cell.scale,
        mark=mark,
        how=how,
        note=_note(cell, mark, errata, otherwise),
        statistic=cell.statistic,
    )


def _note(cell: PublishedResult, mark: str, errata: Errata, otherwise: str) -> str:
    if mark == "?":
        return errata.excuse(cell) or otherwise
    return "" if mark == "=" else errata.explain(cell) or ""
