"""What a visitor can still choose on the quality page: every control with its present value, every link with its address."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from gluepot.board.drawing.formats import TYPES
from gluepot.board.models import Snapshot, SuiteVersion
from gluepot.board.pages.quality import QualityPage
from gluepot.board.server import addresses
from gluepot.board.standings.score_matrix import Field
from gluepot.board.standings.state import OPENNESS, State, write_size


@dataclass(frozen=True)
class Header:
    """A column's head: where a click leads, and how it is sorted now."""

    key: str
    title: str
    address: str
    sorted: str
    """ascending, descending, or nothing."""
    note: str = ""
    more: str = ""
    """The page about it."""
    outside: bool = False
    """Whether it is no part of the overall number."""
    term: int | None = None
    """The term of the official mean that it belongs to."""
    printed: bool = False
    """Whether it stands for tasks that were printed as one."""


@dataclass(frozen=True)
class TickOption:
    """Something that can be ticked."""

    value: str
    title: str
    chosen: bool
    weight: str = ""


@dataclass(frozen=True)
class Choices:
    """The form above the table, and the links around it."""

    state: State
    heads: list[Header]
    splits: list[tuple[str, str, bool]]
    families: list[TickOption]
    languages: list[TickOption]
    open: list[TickOption]
    tasks: list[TickOption]
    aggregates: list[TickOption]
    smallest: str
    largest: str
    files: list[tuple[str, str]]
    pages: list[tuple[int, str, bool]]
    plain: str
    """The page with nothing chosen."""
    intervals: str
    """The page with intervals shown, or hidden again."""
    snapshots: list[tuple[str, str]]
    kept: list[tuple[str, str]]
    """What the form must send along."""


def make_choices(page: QualityPage, field: Field, state: State, version: SuiteVersion) -> Choices:
    def link(**changes: object) -> str:
        return addresses.board(page.suite, page.version, query=state.but(**changes).query())

    kept = {"split": state.split, "sort": _sort(state), "pin": ",".join(state.pinned), "ci": "95" if state.intervals else ""}
    snapshots = Snapshot.objects.filter(suite=version).order_by("-made").values_list("key", flat=True)[:5]
    return Choices(
        state=state,
        heads=_heads(page, state),
        splits=[(name, link(split=name), name == page.split) for name in page.splits],
        families=_options({one.family for one in field.systems if one.family and one.ranked}, state.families),
        languages=_options({code for one in field.systems for code in one.languages}, state.languages),
        open=[
            TickOption(what, title, what in state.open) for what, title in zip(OPENNESS, (_("weights"), _("code"), _("data")), strict=True)
        ],
        tasks=_tasks(page, field, state),
        aggregates=[TickOption(name, title, name == state.aggregate) for name, title in _aggregates().items()],
        smallest=write_size(state.smallest),
        largest=write_size(state.largest),
        files=[(form.upper(), addresses.board(page.suite, page.version, query=state.query(), form=form)) for form in TYPES],
        pages=[(number, link(page=number), number == state.page) for number in range(1, page.pages + 1)] if page.pages > 1 else [],
        plain=addresses.board(page.suite, page.version),
        intervals=link(intervals=not state.intervals, page=state.page),
        snapshots=[(key, addresses.snapshot(key)) for key in snapshots],
        kept=[(name, value) for name, value in kept.items() if value] + list(state.unknown),
    )


def _sort(state: State) -> str:
    sort = f"{'-' if state.descending else ''}{state.sort}"
    return "" if sort == "-overall" else sort


def _options(known: set[str], chosen: tuple[str, ...]) -> list[TickOption]:
    return [TickOption(name, name, name in chosen) for name in sorted(known, key=str.casefold)]


def _tasks(page: QualityPage, field: Field, state: State) -> list[TickOption]:
    weights = dict(state.weights)
    return [TickOption(c.name, c.title, c.name in page.chosen, f"{weights[c.name]:g}" if c.name in weights else "") for c in field.columns]


def _aggregates() -> dict[str, str]:
    return {"mean": _("mean"), "min": _("worst task"), "rank": _("mean rank"), "copeland": _("duels won (Copeland)")}


def _heads(page: QualityPage, state: State) -> list[Header]:
    heads = [
        _head(page, state, "name", _("System")),
        _head(page, state, "family", _("Family")),
        _head(page, state, "parameters", _("Parameters")),
        _head(page, state, "data", _("Data, GB")),
        _head(page, state, "overall", _("Overall"), _aggregates()[page.aggregate]),
        _head(page, state, "coverage", _("Coverage")),
    ]
    for column in page.columns:
        more = addresses.task(page.suite, page.version, column.name) if column.declared else ""
        head = _head(page, state, column.name, column.title, " / ".join(column.metrics), more)
        term = column.terms[0] if column.terms else None
        heads.append(replace(head, outside=column.name not in page.chosen, term=term, printed=not column.declared))
    return heads


def _head(page: QualityPage, state: State, key: str, title: str, note: str = "", more: str = "") -> Header:
    now = ("descending" if state.descending else "ascending") if state.sort == key else ""
    descending = not state.descending if now else key not in ("name", "family")
    address = addresses.board(page.suite, page.version, query=state.but(sort=key, descending=descending).query())
    return Header(key, title, address, now, note, more)
