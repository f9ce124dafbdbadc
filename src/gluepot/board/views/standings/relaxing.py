"""Suggestions for filters that match no system: which one to remove, and how many systems that would show."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from gluepot.board.server import addresses
from gluepot.board.standings.ranking import matches_search, passes
from gluepot.board.standings.record import StandingsPage
from gluepot.board.standings.score_matrix import Facts, ScoreMatrix
from gluepot.board.standings.state import State, write_size


@dataclass(frozen=True)
class RelaxedFilter:
    """The current query without one of its filters."""

    title: str
    """The removed filter, as the visitor entered it."""
    shown: int
    address: str


def relaxed_filters(field: ScoreMatrix, state: State, page: StandingsPage) -> list[RelaxedFilter]:
    """Return each filter whose removal shows systems, most first; if no single one does, the removal of all filters."""
    parts = _parts(state)
    made = [_without(field, page, state, title, **changes) for title, changes in parts]
    useful = sorted((one for one in made if one.shown), key=lambda one: -one.shown)
    if useful or not parts:
        return useful
    every = {name: value for _title, changes in parts for name, value in changes.items()}
    return [_without(field, page, state, _("all filters"), **every)]


def _parts(state: State) -> list[tuple[str, dict[str, object]]]:
    low, high = write_size(state.smallest), write_size(state.largest)
    sizes = f"{low}–{high}" if low and high else f"≥ {low}" if low else f"≤ {high}"
    plain = State()
    told = {
        "search": (bool(state.search), f"“{state.search}”"),
        "families": (bool(state.families), ", ".join(state.families)),
        "languages": (bool(state.languages), ", ".join(state.languages)),
        "open": (bool(state.open), f"{_('open')}: {', '.join(state.open)}"),
        "picked": (bool(state.picked), ", ".join(state.picked)),
        "hide_incomplete": (state.hide_incomplete, _("Hide incomplete systems")),
        "harness": (bool(state.harness), state.harness),
    }
    parts: list[tuple[str, dict[str, object]]] = [(title, {name: getattr(plain, name)}) for name, (on, title) in told.items() if on]
    sized = state.smallest is not None or state.largest is not None
    return [*parts, (f"{_('size')} {sizes}", {"smallest": None, "largest": None})] if sized else parts


def _without(field: ScoreMatrix, page: StandingsPage, state: State, title: str, **changes: object) -> RelaxedFilter:
    wanted = state.with_changes(**changes)
    shown = sum(_shown(facts, wanted) for facts in field.systems)
    return RelaxedFilter(title, shown, addresses.board(page.suite, page.version, query=wanted.query()))


def _shown(facts: Facts, state: State) -> bool:
    picked = not state.picked or facts.slug in state.picked
    return facts.ranked and picked and passes(facts, state) and matches_search(facts, state.search)
