"""Controls of the standings page: current values of the form fields and addresses of the links."""

from dataclasses import dataclass, replace

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from gluepot.board.drawing.formats import TYPES
from gluepot.board.models import Snapshot, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.standings.aggregates import AGGREGATES, aggregates_of
from gluepot.board.standings.record import StandingsPage, StandingsTask
from gluepot.board.standings.score_matrix import ScoreMatrix, load_score_matrix
from gluepot.board.standings.state import OPENNESS, State, read_size, write_size
from gluepot.board.views.standings.relaxing import RelaxedFilter, relaxed_filters
from gluepot.tasks.texts import FALLBACK, task_label, type_label

SIZES = ("150M", "500M", "1B", "8B")
"""Preset limits on parameters."""


@dataclass(frozen=True)
class Header:
    """Column header: its sorting link and current sort order."""

    key: str
    title: str
    address: str
    sorted: str
    """ascending, descending, or empty."""
    small: str = ""
    """Secondary label, usually the name of the data set."""
    about: str = ""
    """Tooltip."""
    metrics: str = ""
    outside: bool = False
    """Whether it is excluded from the overall score."""
    term: int | None = None
    """Term of the official mean that it belongs to."""
    printed: bool = False
    """Whether it represents several tasks published as one."""


@dataclass(frozen=True)
class TickOption:
    """A checkbox or link option."""

    value: str
    title: str
    chosen: bool
    weight: str = ""
    small: str = ""


@dataclass(frozen=True)
class Choices:
    """The form above the table, and the links around it."""

    state: State
    facts: dict[str, Header]
    """Headers of the metadata columns: name, parameters, data, overall."""
    heads: list[Header]
    """Headers of the task columns, those in the overall score first."""
    counted: int
    splits: list[tuple[str, str, bool]]
    families: list[TickOption]
    languages: list[TickOption]
    open: list[TickOption]
    tasks: list[TickOption]
    uses: list[TickOption]
    """Presets of all tasks of a type; the value is an address."""
    sizes: list[TickOption]
    aggregates: list[TickOption]
    aggregate: str
    versions: list[TickOption]
    only: StandingsTask | None
    everything: str
    """Address of the same selection ranked by all its tasks."""
    smallest: str
    largest: str
    files: list[tuple[str, str]]
    pages: list[tuple[int, str, bool]]
    plain: str
    """Address of the page without any selection."""
    intervals: str
    """Address of the page with intervals toggled."""
    snapshots: list[tuple[str, str]]
    kept: list[tuple[str, str]]
    """Hidden fields of the form."""
    ranking: list[tuple[str, str]]
    """Query parameters of the current selection without the ranking task, for the task selector."""
    relaxed: list[RelaxedFilter]
    """If no rows are shown: the filters whose removal would show some."""
    compare: str


def make_choices(page: StandingsPage, state: State, version: SuiteVersion) -> Choices:
    field = load_score_matrix(version, page.split, page.revision, state.harness)

    def link(**changes: object) -> str:
        return addresses.board(page.suite, page.version, query=state.with_changes(**changes).query())

    kept = {
        "split": state.split,
        "only": state.only,
        "sort": _sort(state),
        "pin": ",".join(state.pinned),
        "s": ",".join(state.picked),
        "ci": "95" if state.intervals else "",
    }
    snapshots = Snapshot.objects.filter(suite=version).order_by("-made").values_list("key", flat=True)[:5]
    heads = _heads(page, state)
    return Choices(
        state=state,
        facts=_facts(page, state),
        heads=heads,
        counted=sum(not head.outside for head in heads),
        splits=[(name, link(split=name), name == page.split) for name in page.splits],
        families=_options({one.family for one in field.systems if one.family and one.ranked}, state.families),
        languages=_options({code for one in field.systems for code in one.languages}, state.languages),
        open=[
            TickOption(what, title, what in state.open) for what, title in zip(OPENNESS, (_("weights"), _("code"), _("data")), strict=True)
        ],
        tasks=_tasks(page, field, state),
        uses=_uses(page, state),
        sizes=[TickOption(link(largest=read_size(text)), f"≤ {text}", state.largest == read_size(text)) for text in SIZES],
        aggregates=[TickOption(name, AGGREGATES[name].title(), name == state.aggregate) for name in aggregates_of(field.suite)],
        aggregate=AGGREGATES[state.aggregate].title(),
        versions=[TickOption(name, name, name == state.harness, small=str(count)) for name, count in page.versions.items()],
        only=next((task for task in page.tasks if task.name == state.only), None),
        everything=link(only="", sort="overall", descending=True),
        smallest=write_size(state.smallest),
        largest=write_size(state.largest),
        files=[(form.upper(), addresses.board(page.suite, page.version, query=state.query(), form=form)) for form in (*TYPES, "bib")],
        pages=[(number, link(page=number), number == state.page) for number in range(1, page.pages + 1)] if page.pages > 1 else [],
        plain=addresses.board(page.suite, page.version),
        intervals=link(intervals=not state.intervals, page=state.page),
        snapshots=[(key, addresses.snapshot(key)) for key in snapshots],
        kept=[(name, value) for name, value in kept.items() if value] + list(state.unknown),
        ranking=list(replace(state, only="", page=1, sort="overall", descending=True).pairs()),
        relaxed=relaxed_filters(field, state, page) if not page.shown else [],
        compare=addresses.board(page.suite, page.version, "compare"),
    )


def _sort(state: State) -> str:
    sort = f"{'-' if state.descending else ''}{state.sort}"
    return "" if sort == "-overall" else sort


def _options(known: set[str], chosen: tuple[str, ...]) -> list[TickOption]:
    return [TickOption(name, name, name in chosen) for name in sorted(known, key=str.casefold)]


def _tasks(page: StandingsPage, field: ScoreMatrix, state: State) -> list[TickOption]:
    weights, counting = dict(state.weights), set(page.chosen) if not state.only else set(state.tasks) or _official(field)
    language = get_language() or FALLBACK
    return [
        TickOption(
            column.name,
            task_label(field.suite.name, column.name, column.title, language),
            column.name in counting,
            f"{weights[column.name]:g}" if column.name in weights else "",
            column.title,
        )
        for column in field.columns
    ]


def _official(field: ScoreMatrix) -> set[str]:
    return {column.name for column in field.columns if column.official} or {column.name for column in field.columns}


def _uses(page: StandingsPage, state: State) -> list[TickOption]:
    """Return one preset per task type; a type with a single task ranks by that task."""
    by_type: dict[str, list[str]] = {}
    for task in page.tasks:
        if task.type:
            by_type.setdefault(task.type, []).append(task.name)
    language, made = get_language() or FALLBACK, []
    for kind, names in by_type.items():
        chosen = {"only": names[0]} if len(names) == 1 else {"tasks": tuple(sorted(names)), "only": ""}
        wanted = state.with_changes(sort="overall", descending=True, **chosen)
        here = state.only == names[0] if len(names) == 1 else state.tasks == tuple(sorted(names))
        address = addresses.board(page.suite, page.version, query=wanted.query())
        made.append(TickOption(address, type_label(kind, language), here))
    return made


def _facts(page: StandingsPage, state: State) -> dict[str, Header]:
    titles = {"name": _("System"), "parameters": _("size"), "data": _("data"), "overall": _("Overall")}
    return {key: _head(page, state, key, title) for key, title in titles.items()}


def _heads(page: StandingsPage, state: State) -> list[Header]:
    return [_task_head(page, state, task) for task in page.tasks]


def _task_head(page: StandingsPage, state: State, task: StandingsTask) -> Header:
    """Return a task's header, whose link ranks by this task alone."""
    now = ("descending" if state.descending else "ascending") if state.sort == task.name else "descending" if page.only == task.name else ""
    wanted = state.with_changes(only=task.name, sort="overall", descending=True)
    address = addresses.board(page.suite, page.version, query=wanted.query())
    metrics = " / ".join(task.metrics)
    about = _("Only %(label)s: rank by %(title)s (%(metric)s)") % {"label": task.label, "title": task.title, "metric": metrics}
    return Header(
        task.name,
        task.short,
        address,
        now,
        task.data if task.data != task.short else "",
        about,
        metrics,
        outside=not (task.terms if page.only else task.counts),
        term=task.terms[0] if task.terms else None,
        printed=not task.declared,
    )


def _head(page: StandingsPage, state: State, key: str, title: str) -> Header:
    now = ("descending" if state.descending else "ascending") if state.sort == key else ""
    descending = not state.descending if now else key != "name"
    address = addresses.board(page.suite, page.version, query=state.with_changes(sort=key, descending=descending).query())
    return Header(key, title, address, "" if key == "overall" and page.only else now)
