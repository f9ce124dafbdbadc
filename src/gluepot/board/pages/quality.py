"""The quality page: who stands where on a suite, with everything that a visitor may choose."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from gluepot import __version__
from gluepot.board.drawing.formats import WRITERS
from gluepot.board.models import SuiteVersion
from gluepot.board.pages import answer, file_answer, find_version
from gluepot.board.pages.rows import ScoreCell, Style, SystemRow, best_values, column_cells, make_rows, render_rows
from gluepot.board.server import addresses
from gluepot.board.server.parameters import takes
from gluepot.board.standings.ranking import INCOMPLETE, RANKED, REFERENCE, order, overall_bounds, stand
from gluepot.board.standings.score_matrix import Field, TaskColumn, load_field, revision, splits_of
from gluepot.board.standings.state import FACTS, NAMES, State, parse_state
from gluepot.board.standings.terms import chosen_columns
from gluepot.board.templatetags.shown import decimal, number, score, share

PAGE = 500
"""Rows on one page."""
SKIPS = ("n", "coverage", "answered", "ranked")
"""What files say of tasks that let answers out."""


@dataclass
class QualityPage:
    """Everything that the quality page shows."""

    suite: str
    version: str
    title: str
    split: str
    splits: list[str]
    query: str
    aggregate: str
    columns: list[TaskColumn]
    chosen: list[str]
    """The tasks that make the overall number."""
    terms: int
    sections: dict[str, list[SystemRow]]
    systems: int
    shown: int
    competing: int
    measured: int
    """How many of those have intervals, because their predictions are here."""
    tied: int
    """How many of these may be the best of them."""
    pages: int
    unknown: list[str]
    missing: list[str]
    """Official tasks that nobody has a score for on this split."""
    citation: str
    changed: datetime | None
    revision: int
    field: Field
    """Where the rows' scores are."""
    scorer: str = f"gluepot {__version__}"

    @property
    def rows(self) -> list[SystemRow]:
        return [row for rows in self.sections.values() for row in rows]

    def cells(self) -> Iterator[tuple[SystemRow, list[ScoreCell | None]]]:
        """Every row with its scores, in the order of the columns."""
        numbers = [row.number for row in self.rows]
        columns = [column_cells(self.field, column, numbers) for column in self.columns]
        for place, row in enumerate(self.rows):
            yield row, [column[place] for column in columns]


def quality(version: SuiteVersion, state: State, *, whole: bool = False) -> QualityPage:
    """The page for a state; `whole` has the rows of all pages."""
    at = revision()
    splits = splits_of(version, at)
    field = load_field(version, chosen_split(version, state.split, splits), at)
    standing = stand(field, state)
    ordered = order(field, standing, state)
    columns = _shown_columns(field, state)
    body = len(ordered[RANKED]) + len(ordered[INCOMPLETE])
    cut = ordered if whole else _page_of(ordered, state.page)
    bounds = overall_bounds(field, standing.terms, state, [number for numbers in cut.values() for number in numbers])
    return QualityPage(
        suite=version.name,
        version=version.version,
        title=field.suite.title,
        split=field.split,
        splits=splits,
        query=state.query(),
        aggregate=state.aggregate,
        columns=columns,
        chosen=[column.name for column in chosen_columns(field, state)],
        terms=len(standing.terms),
        sections={name: make_rows(field, standing, bounds, numbers, name) for name, numbers in cut.items()},
        systems=sum(facts.ranked for facts in field.systems),
        shown=sum(field.systems[number].ranked for numbers in ordered.values() for number in numbers),
        competing=len(standing.ranks),
        measured=standing.measured,
        tied=standing.tied,
        pages=1 if whole else max(1, -(-body // PAGE)),
        unknown=_unknown(field, state),
        missing=[] if state.tasks else _missing(field),
        citation=_citation(field),
        changed=field.changed,
        revision=at,
        field=field,
    )


def chosen_split(version: SuiteVersion, wanted: str, splits: list[str]) -> str:
    """The split that was asked for, or the suite's own, or the one with most scores."""
    usual = version.declaration.get("score-split", "test")
    if wanted in splits:
        return wanted
    return usual if usual in splits or not splits else splits[0]


def _shown_columns(field: Field, state: State) -> list[TaskColumn]:
    """All tasks, until a visitor chooses some."""
    chosen = [column for column in field.columns if column.name in state.tasks]
    return chosen or field.columns


def _page_of(ordered: dict[str, list[int]], page: int) -> dict[str, list[int]]:
    """The reference rows, and one page of the others."""
    first, ranked = (page - 1) * PAGE, len(ordered[RANKED])
    return {
        REFERENCE: ordered[REFERENCE],
        RANKED: ordered[RANKED][first : first + PAGE],
        INCOMPLETE: ordered[INCOMPLETE][max(0, first - ranked) : max(0, first + PAGE - ranked)],
    }


def _unknown(field: Field, state: State) -> list[str]:
    """What the address asks for and nobody here knows."""
    names = {column.name for column in field.columns}
    odd = [f"{name}={value}" for name, value in state.unknown]
    odd += [f"tasks={name}" for name in state.tasks if name not in names]
    odd += [f"w={name}" for name, _weight in state.weights if name not in names]
    odd += [f"split={state.split}"] if state.split and state.split != field.split else []
    return odd + ([f"sort={state.sort}"] if state.sort not in names and state.sort not in FACTS else [])


def _missing(field: Field) -> list[str]:
    covered = {number for column in field.columns for number in column.terms}
    absent = [term for number, term in enumerate(field.suite.overall.terms) if number not in covered]
    return [field.suite.tasks[term[0].partition(":")[0]].title for term in absent]


def _citation(field: Field) -> str:
    day = field.changed.date().isoformat() if field.changed else "–"
    board = f"{field.suite.title} {field.suite.version}, {field.split}, board of {day}, revision {field.revision}"
    return f"{board}, scored by gluepot {__version__}. {field.suite.citation}"


@takes(*NAMES, told=True)
def view(request: HttpRequest, suite: str, version: str | None = None, form: str | None = None) -> HttpResponse:
    """The page, or exactly what it shows as a file."""
    found = find_version(suite, version)
    query = request.META.get("QUERY_STRING", "")
    state = parse_state(query)
    if version is None or (form is None and state.query() != query):
        return HttpResponseRedirect(addresses.board(found.name, found.version, query=state.query(), form=form or ""))
    page = quality(found, state)
    if form in WRITERS:
        return file_answer(WRITERS[form](*table(page, shown=form != "csv")), form)
    if form == "json":
        return answer(request, document(page), "", "json")
    from gluepot.board.pages.choices import make_choices

    return answer(request, page, "quality", choices=make_choices(page, page.field, state, found), bodies=bodies(page, state))


def bodies(page: QualityPage, state: State) -> list[tuple[str, str]]:
    """The parts of the table as HTML, by section."""
    best = best_values(page.field, page.rows, page.columns)
    style = Style(page.terms, state.intervals, page.aggregate)
    return [(name, mark_safe(render_rows(page.field, rows, page.columns, best, style))) for name, rows in page.sections.items()]  # noqa: S308  escaped there


def document(page: QualityPage) -> dict[str, Any]:
    """The page for machines: full precision, null for what is not there, no field that only the page needs."""
    return {
        "suite": page.suite,
        "version": page.version,
        "split": page.split,
        "query": page.query,
        "aggregate": page.aggregate,
        "tasks": [_task_document(page, column) for column in page.columns],
        "systems": page.systems,
        "shown": page.shown,
        "with_intervals": page.measured,
        "tied_with_best": page.tied,
        "pages": page.pages,
        "unknown_parameters": page.unknown,
        "rows": [row_document(page, row, cells) for row, cells in page.cells()],
        "citation": page.citation,
        "changed": page.changed,
        "revision": page.revision,
        "scorer": page.scorer,
    }


def _task_document(page: QualityPage, column: TaskColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "title": column.title,
        "metrics": column.metrics,
        "n": column.n,
        "skips": column.skips,
        "counts": column.name in page.chosen,
    }


def row_document(page: QualityPage, row: SystemRow, cells: list[ScoreCell | None]) -> dict[str, Any]:
    facts = row.facts
    return {
        "section": row.section,
        "rank": row.rank.rank if row.rank else None,
        "rank_low": row.rank.low if row.rank else None,
        "rank_high": row.rank.high if row.rank else None,
        "system": facts.name,
        "slug": facts.slug,
        "role": facts.role,
        "family": facts.family or None,
        "parameters": facts.parameters,
        "data_gigabytes": facts.data_size,
        "overall": row.overall,
        "overall_low": row.low,
        "overall_high": row.high,
        "verified": row.overall is not None and not row.reported,
        "left_out": _left_out(page, cells),
        "coverage": f"{row.covered}/{page.terms}",
        "scores": {column.name: cell for column, cell in zip(page.columns, cells, strict=True)},
    }


def _left_out(page: QualityPage, cells: list[ScoreCell | None]) -> dict[str, float]:
    """Task to the share of its items that were answered, where some were left out."""
    both = zip(page.columns, cells, strict=True)
    return {column.name: cell.coverage for column, cell in both if cell and cell.coverage is not None and cell.coverage < 1}


def table(page: QualityPage, *, shown: bool) -> tuple[list[str], list[list[Any]], list[str]]:
    """Head, rows and notes of a file with exactly the shown rows; as shown, or raw."""
    head = ["rank", "rank_low", "rank_high", "section", "system", "family", "parameters", "data_gigabytes"]
    head += ["overall", "overall_low", "overall_high", "coverage"]
    notes = [page.citation, f"query: {page.query or '(none)'}"]
    if shown:
        names = [_("System"), _("Rank"), _("Overall"), *(column.title for column in page.columns)]
        return names, [[row.facts.name, _rank(row), _overall(page, row), *map(_cell, cells)] for row, cells in page.cells()], notes
    for column in page.columns:
        for metric in column.metrics:
            head += [f"{column.name}:{metric}", f"{column.name}:{metric}:low", f"{column.name}:{metric}:high"]
        head.append(f"{column.name}:verified")
        head += [f"{column.name}:{what}" for what in SKIPS] if column.skips else []
    return head, [_raw(page, row, cells) for row, cells in page.cells()], notes


def _rank(row: SystemRow) -> str | None:
    return str(row.rank) if row.rank else None


def _overall(page: QualityPage, row: SystemRow) -> str | None:
    if row.overall is None:
        return None
    return score(row.overall) if page.aggregate in ("mean", "min") else decimal(abs(row.overall), 2)


def _cell(cell: ScoreCell | None) -> str | None:
    if cell is None:
        return None
    text = " / ".join(score(value) for value in (cell.value, *(value for _name, value in cell.others)))
    counted = [f"n {number(cell.n)}, {share(cell.coverage)} %"] if cell.n is not None and cell.coverage is not None else []
    counted += [] if cell.ranked else [_("not ranked")]
    return f"{text} ({', '.join(counted)})" if counted else text


def _raw(page: QualityPage, row: SystemRow, scores: list[ScoreCell | None]) -> list[Any]:
    rank, facts = row.rank, row.facts
    cells: list[Any] = [rank.rank, rank.low, rank.high] if rank else [None, None, None]
    cells += [row.section, facts.name, facts.family, facts.parameters, facts.data_size]
    cells += [row.overall, row.low, row.high, f"{row.covered}/{page.terms}"]
    for column, cell in zip(page.columns, scores, strict=True):
        for metric in column.metrics:
            first = metric == column.metrics[0]
            value = None if cell is None else cell.value if first else dict(cell.others).get(metric)
            cells += [value, cell.low if cell and first else None, cell.high if cell and first else None]
        cells.append(None if cell is None else int(cell.verified))
        cells += [None if cell is None else getattr(cell, what) for what in SKIPS[:-1]] if column.skips else []
        cells += [None if cell is None else int(cell.ranked)] if column.skips else []
    return cells
