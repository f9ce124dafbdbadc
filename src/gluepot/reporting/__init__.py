"""A report on one or more runs: the content of its page, and the function that builds it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from gluepot import __version__
from gluepot.efficiency.figures import find_records, read_figures
from gluepot.efficiency.figures.tradeoffs import Tradeoff, make_tradeoffs
from gluepot.records import Suite
from gluepot.reporting.calibration import Reliability, reliabilities
from gluepot.reporting.confusion import TaskConfusion, confusions
from gluepot.reporting.cost import JobCost, job_costs
from gluepot.reporting.diagnostics import Heat, Parity, heat_maps, parities
from gluepot.reporting.findings.headline import (
    PublishedComparison,
    compare_with_published,
    describe_single_system,
    describe_systems,
    overall_row,
)
from gluepot.reporting.findings.leaders import TaskLeader, find_leaders
from gluepot.reporting.items import TaskItems, disagreements, hardest, task_answers
from gluepot.reporting.scores import ReportRow, general_remarks, score_rows
from gluepot.reporting.systems import LoadedSystem, SystemCard, load_systems
from gluepot.tasks.texts import FALLBACK, task_label


class Section(Struct, frozen=True):
    """One suite on one split, with the systems that answered the same data."""

    suite: str
    title: str
    version: str
    split: str
    language: str
    note: str
    systems: list[int]
    """Numbers of systems in the report; cells of rows have this order."""
    majority: list[int]
    """Those of them that always give the majority answer."""
    rows: list[ReportRow]
    remarks: list[str]
    parity: list[Parity]
    confusions: list[TaskConfusion]
    hardest: list[TaskItems]
    disagreements: list[TaskItems]
    calibration: list[Reliability]
    answer: str = ""
    """Summary in a sentence or two."""
    leaders: list[TaskLeader] = []
    """Leader of each task, and the systems that are not significantly different; numbers are positions in `systems`."""
    published: list[PublishedComparison] = []
    """Position of a system among the published ones, if it is the only one here."""


class Report(Struct, frozen=True):
    """Content of the page."""

    gluepot: str
    systems: list[SystemCard]
    sections: list[Section]
    diagnostics: list[Heat]
    cost: list[JobCost]
    notices: list[str] = []
    """Changes since the runs were made and scored; their cards list them too."""
    tradeoffs: list[Tradeoff] = []
    """Quality against cost, where it was measured."""


def make_report(
    paths: Sequence[Path],
    suite: Suite | None = None,
    split: str | None = None,
    measurements: Sequence[Path] = (),
    tasks: Sequence[str] = (),
) -> Report:
    """Build the report on runs, and on submissions to `suite`; `tasks` are those whose measurements are plotted."""
    systems = load_systems(paths, suite, split)
    return Report(
        tradeoffs=_tradeoffs(systems, measurements, tasks),
        gluepot=__version__,
        systems=[system.card for system in systems],
        sections=[_section(split, [(n, systems[n]) for n in members]) for split, members in _sections(systems)],
        diagnostics=heat_maps(systems),
        cost=job_costs(systems),
        notices=[notice for system in systems for notice in system.notices],
    )


def _tradeoffs(systems: Sequence[LoadedSystem], folders: Sequence[Path], tasks: Sequence[str]) -> list[Tradeoff]:
    """Build the trade-offs; records without a score of their own take that of the run with the same model."""
    figures = read_figures([folder for place in folders for folder in find_records(place)]).measurements
    scores = {
        (name, row.task): (row.value, row.low, row.high)
        for system in systems
        for name in (system.card.model, system.card.name)
        for row in system.scores
        if row.value is not None and row.metric == system.suite.tasks[row.task].metrics[0]
    }
    return make_tradeoffs(figures, tasks, scores)


def _sections(systems: Sequence[LoadedSystem]) -> Iterator[tuple[str, list[int]]]:
    """Group systems that can be shown side by side: one suite and version, one split, and no task with different data."""
    sections: list[tuple[str, list[int]]] = []
    for number, system in enumerate(systems):
        for split in dict.fromkeys(row.split for row in system.scores):
            for known, members in sections:
                if known == split and all(_comparable(systems[other], system, split) for other in members):
                    members.append(number)
                    break
            else:
                sections.append((split, [number]))
    order = {name: place for place, name in enumerate(dict.fromkeys(system.suite.name for system in systems))}
    first = {system.suite.name: system.suite.score_split for system in systems}
    return iter(sorted(sections, key=lambda s: (order[_suite(systems, s)], s[0] != first[_suite(systems, s)])))


def _suite(systems: Sequence[LoadedSystem], section: tuple[str, list[int]]) -> str:
    return systems[section[1][0]].suite.name


def _comparable(a: LoadedSystem, b: LoadedSystem, split: str) -> bool:
    shared = [key for key in a.card.data.keys() & b.card.data.keys() if key.endswith(f"/{split}")]
    same = all(a.card.data[key] == b.card.data[key] for key in shared)
    return same and (a.card.suite, a.card.version) == (b.card.suite, b.card.version)


def _section(split: str, members: Sequence[tuple[int, LoadedSystem]]) -> Section:
    suite, systems = members[0][1].suite, [system for _, system in members]
    rows, answers = score_rows(suite, split, systems), task_answers(split, members)
    labels = {name: task_label(suite.name, name, task.title, FALLBACK) for name, task in suite.tasks.items()}
    leaders, published = find_leaders(split, members, rows, labels), _published(systems, rows, labels)
    return Section(
        suite=suite.name,
        title=suite.title,
        version=systems[0].card.version,
        split=split,
        language=suite.language,
        note=suite.overall.note,
        systems=[number for number, _ in members],
        majority=[number for number, system in members if system.majority],
        rows=rows,
        remarks=general_remarks(suite, rows),
        parity=parities(rows, [number for number, _ in members]),
        confusions=confusions(split, members),
        hardest=[found for one in answers if (found := hardest(one)) is not None],
        disagreements=[found for one in answers if (found := disagreements(one)) is not None],
        calibration=reliabilities(split, members),
        answer=_answer(systems, rows, leaders, published),
        leaders=leaders,
        published=published,
    )


def _competing(systems: Sequence[LoadedSystem]) -> list[int]:
    """Return the positions of systems that are neither baselines nor partial runs."""
    return [place for place, system in enumerate(systems) if not system.card.baseline and not system.card.partial]


def _published(systems: Sequence[LoadedSystem], rows: Sequence[ReportRow], labels: dict[str, str]) -> list[PublishedComparison]:
    competing = _competing(systems)
    return compare_with_published(rows, competing[0], labels) if len(competing) == 1 else []


def _answer(
    systems: Sequence[LoadedSystem], rows: Sequence[ReportRow], leaders: Sequence[TaskLeader], published: Sequence[PublishedComparison]
) -> str:
    competing, overall = _competing(systems), overall_row(rows)
    if len(competing) == 1:
        one = systems[competing[0]]
        beyond = {row.label: one.beyond_trivial[row.task] for row in rows if row.primary and row.task in one.beyond_trivial}
        return describe_single_system(one.card.name, overall.cells[competing[0]] if overall else None, published, beyond)
    return describe_systems([system.card.name for system in systems], overall, leaders)


__all__ = ["Report", "Section", "make_report"]
