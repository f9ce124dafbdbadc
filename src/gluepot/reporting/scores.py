"""Scores of a section: one row per task and metric, one cell per system, with published values next to them."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from gluepot.records import AllItems, Mean, Score, Suite
from gluepot.reporting.systems import LoadedSystem
from gluepot.runs.scores.coverage import describe_skips
from gluepot.tasks.published_results import Errata, PublishedResult, load_errata, load_published
from gluepot.tasks.systems import names_of
from gluepot.tasks.texts import FALLBACK, task_label

OVERALL = "overall"


class Mark(Struct, frozen=True):
    """A value published by others."""

    model: str
    value: float
    source: str
    wrong: str | None = None
    """Reason why the published value is known to be wrong."""


class ReportCell(Struct, frozen=True):
    """One score of one system."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    spread: float | None = None
    reason: str | None = None
    reported: Mark | None = None
    """Published value of the same model."""
    coverage: float | None = None
    """Share of answered items, if the task allows skipping."""
    all_items: AllItems | None = None
    """Score over all items, by which the cell ranks, if some were skipped."""
    unranked: str | None = None
    """Reason why the value does not rank."""
    note: str = ""
    """Caveat of the value, in words."""

    @property
    def ranking(self) -> "ReportCell | None":
        """The cell with the value that ranks; None if it is unranked."""
        if self.unranked or self.all_items is None:
            return None if self.unranked else self
        return replace(self, value=self.all_items.value, low=self.all_items.low, high=self.all_items.high)


class ReportRow(Struct, frozen=True):
    """One metric of one task, or the suite's mean."""

    task: str
    title: str
    metric: str
    primary: bool
    cells: list[ReportCell | None]
    """One per system of the section; null if it did not answer."""
    reported: list[Mark] = []
    label: str = ""
    """Name of the task in plain words."""


def score_rows(suite: Suite, split: str, systems: Sequence[LoadedSystem]) -> list[ReportRow]:
    """Return the suite's mean first, then every metric of every task that a system answered."""
    published, errata = load_published(suite), load_errata(suite)
    rows = [_mean_row(suite, split, systems, published, errata)] if any(_means(split, s) for s in systems) else []
    found = [{(r.task, r.metric): r for r in s.scores if r.split == split and r.slice is UNSET} for s in systems]
    for task in suite.tasks.values():
        label = task_label(suite.name, task.name, task.title, FALLBACK)
        for metric in task.metrics:
            summaries = [by_key.get((task.name, metric)) for by_key in found]
            if any(summaries):
                marks = _marks(published, errata, task.name, metric, split)
                both = zip(summaries, systems, strict=True)
                cells = [make_cell(one, _same_model(suite, system, marks)) if one else None for one, system in both]
                rows.append(ReportRow(task.name, task.title, metric, metric == task.metrics[0], cells, marks, label))
    return rows


def general_remarks(suite: Suite, rows: Sequence[ReportRow]) -> list[str]:
    """Return the errata that apply to all cells of a source that the rows quote."""
    sources = {mark.source for row in rows for mark in row.reported}
    known = [k for k in load_errata(suite).known if k.model is None and (k.source is None or k.source in sources)]
    return list(dict.fromkeys(k.reason for k in known)) if sources else []


def _mean_row(suite: Suite, split: str, systems: Sequence[LoadedSystem], published: Sequence[PublishedResult], errata: Errata) -> ReportRow:
    marks = _marks(published, errata, OVERALL, "mean", split)
    cells: list[ReportCell | None] = []
    for system in systems:
        mean = _means(split, system)
        if mean is None:
            cells.append(None)
            continue
        same, note = _same_model(suite, system, marks), mean.note or ""
        cells.append(ReportCell(mean.value, mean.low, mean.high, mean.tasks, None, mean.reason or None, same, note=note))
    return ReportRow(OVERALL, f"{suite.title}, overall", "mean", True, cells, marks)


def _means(split: str, system: LoadedSystem) -> Mean | None:
    return next((mean for mean in system.overall if mean.split == split), None)


def make_cell(row: Score, reported: Mark | None = None) -> ReportCell:
    """Return a metric over all seeds as a cell."""
    return ReportCell(
        row.value,
        row.low,
        row.high,
        row.n,
        None if row.spread is UNSET else row.spread,
        row.reason or None,
        reported,
        coverage=None if row.coverage is UNSET else row.coverage,
        all_items=row.all_items or None,
        unranked=row.unranked or None,
        note=describe_skips(row.coverage, row.all_items, row.unranked),
    )


def _marks(published: Sequence[PublishedResult], errata: Errata, task: str, metric: str, split: str) -> list[Mark]:
    """Return the published values of one row, each model and value once, whichever tables print it."""
    marks: dict[tuple[str, float], Mark] = {}
    for cell in published:
        if (cell.task, cell.metric, cell.split, cell.slice) == (task, metric, split, None):
            mark = Mark(cell.model, cell.value / cell.scale, cell.source, errata.remark(cell))
            marks.setdefault((mark.model, mark.value), mark)
    return list(marks.values())


def _same_model(suite: Suite, system: LoadedSystem, marks: Sequence[Mark]) -> Mark | None:
    names = names_of(suite.name, system.card.model)
    return next((mark for mark in marks if mark.model in names), None)
