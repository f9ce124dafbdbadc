"""Diagnostics: scores by category, for tasks with the same categories side by side; and gender parity next to the score."""

from collections.abc import Sequence

from msgspec import UNSET, Struct

from gluepot.records import Task
from gluepot.reporting.scores import ReportCell, ReportRow, make_cell
from gluepot.reporting.systems import LoadedSystem
from gluepot.tasks.published_results import load_published

PARITY = "gender-parity"


class DiagnosticColumn(Struct, frozen=True):
    """One system on one diagnostic."""

    task: str
    title: str
    metric: str
    split: str
    system: int


class DiagnosticRow(Struct, frozen=True):
    """One category: coarse (`logic`) or fine (`logic/Negation`)."""

    coarse: str
    fine: str | None
    cells: list[ReportCell | None]
    reported: tuple[float, float, int] | None = None
    """Lowest and highest published value, and the number of models."""


class Heat(Struct, frozen=True):
    """Diagnostics that share their categories."""

    columns: list[DiagnosticColumn]
    rows: list[DiagnosticRow]


class Parity(Struct, frozen=True):
    """Gender parity of one system next to the ranking score: one without the other misleads."""

    task: str
    title: str
    system: int
    metric: str
    score: ReportCell
    parity: ReportCell


def heat_maps(systems: Sequence[LoadedSystem]) -> list[Heat]:
    """Return one map per set of categories, the largest set first; within it, task by task and system by system."""
    groups: dict[tuple[str, ...], list[tuple[Task, str, int]]] = {}
    for number, system in enumerate(systems):
        for task, split in dict.fromkeys((row.task, row.split) for row in system.scores if row.slice is not UNSET):
            declared = system.suite.tasks[task]
            categories = tuple(sorted(declared.slices.fields)) if declared.slices else ()
            groups.setdefault(categories, []).append((declared, split, number))
    return [_heat(_by_task(groups[key]), systems) for key in sorted(groups, key=len, reverse=True)]


def _by_task(group: Sequence[tuple[Task, str, int]]) -> list[tuple[Task, str, int]]:
    """Sort columns by task, tasks in order of first appearance."""
    met = list(dict.fromkeys((task.path, split) for task, split, _ in group))
    return sorted(group, key=lambda one: met.index((one[0].path, one[1])))


def _heat(group: Sequence[tuple[Task, str, int]], systems: Sequence[LoadedSystem]) -> Heat:
    columns = [DiagnosticColumn(task.name, task.title, task.metrics[0], split, number) for task, split, number in group]
    cells = [_cells(systems[column.system], column) for column in columns]
    names = sorted(dict.fromkeys(name for one in cells for name in one))
    printed = _printed([task for task, _, _ in group], systems)
    rows = []
    for name in _with_coarse_first(names):
        coarse, _, fine = name.partition("/")
        values = printed.get(name)
        reported = (min(values), max(values), len(values)) if values else None
        rows.append(DiagnosticRow(coarse, fine or None, [one.get(name) for one in cells], reported))
    return Heat(columns, rows)


def _cells(system: LoadedSystem, column: DiagnosticColumn) -> dict[str, ReportCell]:
    return {
        str(row.slice): make_cell(row)
        for row in system.scores
        if (row.task, row.split) == (column.task, column.split) and row.slice is not UNSET
    }


def _with_coarse_first(names: Sequence[str]) -> list[str]:
    """Return each coarse category before its fine ones, even if it has no score of its own."""
    coarse = dict.fromkeys(name.partition("/")[0] for name in names)
    return [one for top in coarse for one in [top, *(name for name in names if name.startswith(f"{top}/"))]]


def _printed(tasks: Sequence[Task], systems: Sequence[LoadedSystem]) -> dict[str, list[float]]:
    suites = {system.suite.name: system.suite for system in systems}
    found: dict[str, list[float]] = {}
    for task in dict.fromkeys((task.suite, task.name) for task in tasks):
        for cell in load_published(suites[task[0]]):
            if cell.task == task[1] and cell.slice is not None:
                found.setdefault(cell.slice, []).append(cell.value / cell.scale)
    return found


def parities(rows: Sequence[ReportRow], numbers: Sequence[int]) -> list[Parity]:
    """Return the values of every system that has both."""
    ranking = {row.task: row for row in rows if row.primary}
    found = []
    for row in rows:
        if row.metric != PARITY or row.task not in ranking:
            continue
        first = ranking[row.task]
        for number, score, parity in zip(numbers, first.cells, row.cells, strict=True):
            if score is not None and parity is not None:
                found.append(Parity(row.task, row.title, number, first.metric, score, parity))
    return found
