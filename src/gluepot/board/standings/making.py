"""Construction of the standings page record from the scores and the visitor's state."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import get_language

from gluepot import __version__
from gluepot.board.models import SuiteVersion
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.columns import TaskColumn
from gluepot.board.standings.ranking import (
    Bounds,
    Standing,
    compute_standing,
    matches_search,
    number_or_none,
    order,
    overall_bounds,
    passes,
)
from gluepot.board.standings.record import (
    INCOMPLETE,
    RANKED,
    REFERENCE,
    Partial,
    RowScores,
    ScoreCell,
    StandingsPage,
    StandingsRow,
    StandingsTask,
)
from gluepot.board.standings.revisions import revision
from gluepot.board.standings.score_matrix import ScoreMatrix, load_score_matrix, splits_of
from gluepot.board.standings.state import FACTS, State
from gluepot.board.standings.terms import chosen_columns
from gluepot.statistics.rank_intervals import UNKNOWN
from gluepot.tasks.texts import FALLBACK, data_label, short_label, task_label, type_of

PAGE = 500
"""Rows per page."""


def make_standings(version: SuiteVersion, state: State, *, whole: bool = False) -> StandingsPage:
    """Return the standings page for a state; with `whole`, it contains the rows of all pages."""
    at = revision()
    splits = splits_of(version, at)
    field = load_score_matrix(version, chosen_split(version, state.split, splits), at, state.harness)
    odd = _unknown(field, state)
    if not AGGREGATES[state.aggregate].fits(field.suite):
        state = replace(state, aggregate="mean")
    standing = compute_standing(field, state)
    ordered = order(field, standing, state)
    columns = [column for column in field.columns if column.name in state.tasks] or field.columns
    pages = max(1, -(-(len(ordered[RANKED]) + len(ordered[INCOMPLETE])) // PAGE))
    cut = ordered if whole else _page_of(ordered, min(state.page, pages))
    return StandingsPage(
        suite=version.name,
        version=version.version,
        title=field.suite.title,
        split=field.split,
        splits=splits,
        query=state.query(),
        aggregate=state.aggregate,
        only=state.only if field.column(state.only) else "",
        tasks=_tasks(field, standing, columns, {column.name for column in chosen_columns(field, state)}),
        terms=len(standing.terms),
        systems=sum(facts.ranked for facts in field.systems),
        shown=sum(field.systems[number].ranked for numbers in ordered.values() for number in numbers),
        competing=len(standing.ranks),
        with_intervals=standing.measured,
        tied_with_best=standing.leaders,
        unsized=_unsized(field, state),
        versions=field.all_harnesses,
        best=standing.best_overall,
        pages=1 if whole else pages,
        unknown_parameters=odd + ([f"page={state.page}"] if state.page > pages else []),
        missing=[] if state.tasks else _missing(field),
        rows=_rows(field, standing, state, columns, cut),
        citation=_citation(field),
        suite_citation=field.suite.citation,
        changed=field.changed,
        revision=at,
        scorer=f"gluepot {__version__}",
    )


def chosen_split(version: SuiteVersion, wanted: str, splits: list[str]) -> str:
    """Return the requested split if it has scores, else the suite's default, else the one with the most scores."""
    usual = version.declaration.get("score-split", "test")
    if wanted in splits:
        return wanted
    return usual if usual in splits or not splits else splits[0]


def _page_of(ordered: dict[str, list[int]], page: int) -> dict[str, list[int]]:
    """Return the reference rows and one page of the others."""
    first, ranked = (page - 1) * PAGE, len(ordered[RANKED])
    cut = {
        REFERENCE: ordered[REFERENCE],
        RANKED: ordered[RANKED][first : first + PAGE],
        INCOMPLETE: ordered[INCOMPLETE][max(0, first - ranked) : max(0, first + PAGE - ranked)],
    }
    return {name: cut[name] for name in ordered}


def _unsized(field: ScoreMatrix, state: State) -> int:
    """Count the systems hidden by a size limit only because their size is unknown."""
    if state.smallest is None and state.largest is None:
        return 0
    sized = state.with_changes(smallest=None, largest=None)
    hidden = [facts for facts in field.systems if facts.ranked and facts.parameters is None]
    return sum(passes(facts, sized) and matches_search(facts, state.search) for facts in hidden)


def _tasks(field: ScoreMatrix, standing: Standing, columns: Sequence[TaskColumn], chosen: set[str]) -> list[StandingsTask]:
    suite, language = field.suite.name, get_language() or FALLBACK
    return [
        StandingsTask(
            name=column.name,
            title=column.title,
            metrics=column.metrics,
            n=column.n,
            skips=column.skips,
            counts=column.name in chosen,
            terms=column.terms,
            counted=column.counted,
            declared=column.declared,
            label=task_label(suite, column.name, column.title, language),
            short=short_label(suite, column.name, column.title, language),
            data=data_label(suite, column.name, column.title),
            type=type_of(suite, column.name),
            instead=column.instead,
            best=standing.best[column.name],
        )
        for column in columns
    ]


def _rows(
    field: ScoreMatrix, standing: Standing, state: State, columns: Sequence[TaskColumn], cut: dict[str, list[int]]
) -> list[StandingsRow]:
    numbers = [number for some in cut.values() for number in some]
    bounds = overall_bounds(field, standing.terms, state, numbers)
    shown = dict(zip(numbers, _scores_of(field, columns, numbers), strict=True))
    tied = _tied(standing, columns)
    return [
        _row(field, standing, bounds, section, number, shown[number], tied.get(number, []))
        for section, some in cut.items()
        for number in some
    ]


def _tied(standing: Standing, columns: Sequence[TaskColumn]) -> dict[int, list[str]]:
    """Map each system to the tasks on which it is statistically tied with the best."""
    found: dict[int, list[str]] = {}
    for column in columns:
        for number in np.flatnonzero(standing.tied[column.name]).tolist():
            found.setdefault(number, []).append(column.name)
    return found


def _row(
    field: ScoreMatrix, standing: Standing, bounds: Bounds, section: str, number: int, shown: RowScores, tied: list[str]
) -> StandingsRow:
    facts, rank, overall = field.systems[number], standing.ranks.get(number), number_or_none(standing.overall[number])
    return StandingsRow(
        section=section,
        rank=rank.rank if rank else None,
        rank_low=rank.low if rank else None,
        rank_high=rank.high if rank else None,
        evidence=rank.evidence if rank else UNKNOWN,
        tied=tied,
        versions=shown.versions,
        system=facts.name,
        slug=facts.slug,
        role=facts.role,
        family=facts.family or None,
        parameters=facts.parameters,
        data_gigabytes=facts.data_size,
        overall=overall,
        overall_low=number_or_none(bounds.low[number]),
        overall_high=number_or_none(bounds.high[number]),
        verified=overall is not None and not standing.reported[number],
        left_out=shown.left_out,
        coverage=f"{standing.covered[number]}/{len(standing.terms)}",
        scores=shown.scores,
        languages=facts.languages,
        team=facts.team,
        private_scorings=facts.private_scorings,
        ran_here=facts.ran_here,
        open=facts.open,
    )


def _scores_of(field: ScoreMatrix, columns: Sequence[TaskColumn], systems: Sequence[int]) -> list[RowScores]:
    """Return the score cells of some systems' rows; rows with all columns are cached, because most pages use them."""
    cells = {column.name: _cells(field, column) for column in columns}
    rows = field.rows if len(cells) == len(field.columns) else {}
    for number in systems:
        if number not in rows:
            rows[number] = _row_scores({name: made[number] for name, made in cells.items()})
    return [rows[number] for number in systems]


def _row_scores(scores: dict[str, ScoreCell | None]) -> RowScores:
    cells = {name: cell for name, cell in scores.items() if cell}
    versions = sorted({cell.harness for cell in cells.values() if cell.harness})
    return RowScores(
        scores, versions, {name: cell.coverage for name, cell in cells.items() if cell.coverage is not None and cell.coverage < 1}
    )


def _cells(field: ScoreMatrix, column: TaskColumn) -> list[ScoreCell | None]:
    """Return a task's cells of all systems, created once per field because they never change."""
    if column.name not in field.cells:
        field.cells[column.name] = _make_cells(field, column)
    return field.cells[column.name]


def _make_cells(field: ScoreMatrix, column: TaskColumn) -> list[ScoreCell | None]:
    """Create a task's cells from plain lists, because indexing an array element by element is slow."""
    first, *others = (field.entries[column.name, metric] for metric in column.metrics)
    values, low, high, verified = (array[first].tolist() for array in (field.values, field.low, field.high, field.verified))
    methods, harnesses = field.methods[first].tolist(), field.harnesses[first].tolist()
    more = [(metric, field.values[entry].tolist()) for metric, entry in zip(column.metrics[1:], others, strict=True)]
    cells = [
        None
        if value != value
        else ScoreCell(
            value,
            number_or_none(low[at]),
            number_or_none(high[at]),
            verified[at],
            tuple((metric, row[at]) for metric, row in more if row[at] == row[at]),
            field.notes.get((first, at), ""),
            method=methods[at],
            harness=harnesses[at],
            people=field.people.get((first, at), {}),
            same_items=field.same_items.get((first, at)),
        )
        for at, value in enumerate(values)
    ]
    return [_with_skips(cell, field.partial.get((first, at)), field.notes.get((first, at), "")) for at, cell in enumerate(cells)]


def _with_skips(cell: ScoreCell | None, skips: Partial | None, note: str) -> ScoreCell | None:
    """Return the cell with its coverage of skippable items; a score that does not rank is still shown."""
    if skips is None:
        return cell
    if cell is None and skips.unranked is not None:
        value, low, high, verified = skips.unranked
        answered = skips.n if skips.coverage is not None else None
        return ScoreCell(value, low, high, verified, note=note, n=answered, coverage=skips.coverage, ranked=False)
    return cell and replace(cell, n=skips.n, coverage=skips.coverage, answered=skips.answered)


def _unknown(field: ScoreMatrix, state: State) -> list[str]:
    """Return the query parameters whose name or value is unknown."""
    names = {column.name for column in field.columns}
    odd = [f"{name}={value}" for name, value in state.unknown]
    odd += [f"tasks={name}" for name in state.tasks if name not in names]
    odd += [f"w={name}" for name, _weight in state.weights if name not in names]
    slugs = {facts.slug for facts in field.systems}
    odd += [f"{name}={slug}" for name, named in (("pin", state.pinned), ("s", state.picked)) for slug in named if slug not in slugs]
    odd += [f"only={state.only}"] if state.only and state.only not in names else []
    odd += [f"ver={state.harness}"] if state.harness and state.harness not in field.all_harnesses else []
    odd += [f"agg={state.aggregate}"] if not AGGREGATES[state.aggregate].fits(field.suite) else []
    odd += [f"split={state.split}"] if state.split and state.split != field.split else []
    return odd + ([f"sort={state.sort}"] if state.sort not in names and state.sort not in FACTS else [])


def _missing(field: ScoreMatrix) -> list[str]:
    covered = {number for column in field.columns for number in column.terms}
    absent = [term for number, term in enumerate(field.suite.overall.terms) if number not in covered]
    return [field.suite.tasks[term[0].partition(":")[0]].title for term in absent]


def _citation(field: ScoreMatrix) -> str:
    day = field.changed.date().isoformat() if field.changed else "–"
    board = f"{field.suite.title} {field.suite.version}, {field.split}, board of {day}, revision {field.revision}"
    return f"{board}, scored by gluepot {__version__}. {field.suite.citation}"
