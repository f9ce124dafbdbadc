"""Headline of a standings table: who leads, who may be as good, and how certain that is."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gluepot.board.server import addresses
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.record import INCOMPLETE, REFERENCE, StandingsPage, StandingsRow
from gluepot.board.standings.state import parse_state
from gluepot.board.views.standings.tables import overall
from gluepot.statistics.rank_intervals import UNKNOWN

NAMED = 3
"""Maximum number of systems named besides the leader."""


def headline(page: StandingsPage) -> SafeString:
    """Return the headline; if no system is ranked, a link to a ranking by the tasks common to all."""
    if not page.competing:
        return _unranked(page)
    ranked = sorted((row for row in page.rows if row.rank is not None), key=lambda row: row.rank or 0)
    if not ranked or len(ranked) < page.competing:  # a subset of the rows is not enough
        return SafeString("")
    sure = [row for row in ranked if row.evidence != UNKNOWN]
    said = _unsure(page, ranked) if not sure else _told(page, ranked, sure)
    return SafeString(" ".join([*said, *_rest(page, ranked, sure)]))


def _unranked(page: StandingsPage) -> SafeString:
    """Return a link to the ranking by the tasks that all systems have, if there are any but not all."""
    systems, tasks = page.section(INCOMPLETE), [task.name for task in page.tasks if task.counts]
    common = [task for task in tasks if all((cell := row.scores[task]) is not None and cell.ranked for row in systems)]
    if not systems or not 0 < len(common) < len(tasks) or page.pages > 1:
        return SafeString("")
    query = parse_state(page.query).with_changes(tasks=tuple(common), weights=()).query()
    said = format_html(_("No system has all {all} tasks."), all=len(tasks))
    offer = format_html(_("Rank them by the {count} that all of them have."), count=len(common))
    return format_html('{} <a href="{}">{}</a>', said, addresses.board(page.suite, page.version, query=query), offer)


def _unsure(page: StandingsPage, ranked: list[StandingsRow]) -> list[str]:
    """Return the headline if no ranking score has an interval: the order is not a ranking."""
    first, people = ranked[0], next((row for row in page.section(REFERENCE) if row.role == "human" and row.overall is not None), None)
    some = not page.only and any(cell and cell.low is not None for row in ranked for cell in row.scores.values())
    why = _("Nothing here has an interval: ranks are the order of the values.")
    why = _("Only single tasks have intervals, not the overall scores: ranks are the order of the values.") if some else why
    said: list[str] = [format_html("<b>{}</b>", _("The ranks are unknown.")), why]
    said.append(_highest(page, first))
    if people is not None:
        said.append(format_html(_("People reach {value}."), value=overall(page, people)))
    return said


def _highest(page: StandingsPage, first: StandingsRow) -> SafeString:
    """Name the first system: the highest value if it is a score, otherwise the first place."""
    leads = _("{name} has the highest number, {value}.") if AGGREGATES[page.aggregate].score else _("{name} comes first, with {value}.")
    return format_html(leads, name=_bold(first), value=overall(page, first))


def _told(page: StandingsPage, ranked: list[StandingsRow], sure: list[StandingsRow]) -> list[str]:
    first, best = ranked[0], [row for row in sure if row.rank_low == 1]
    if len(sure) == 1 < len(ranked):
        only = format_html(_("Only {name} has an interval, so the ranks are unknown."), name=_bold(sure[0]))
        return [only, _highest(page, first)]
    if best == [first] and len(sure) == len(ranked):
        leads = _("{name} is the best, with {value}.") if first.verified else _("{name} is the best by what was reported, with {value}.")
        leads = _("Only one system is ranked here: {name}, with {value}.") if len(ranked) == 1 else leads
        return [format_html(leads, name=_bold(first), value=overall(page, first))]
    many = _("{count} of {all} systems may be the best.")
    if len(sure) < len(ranked):
        many = _("{count} of the {all} systems with an interval may be the best.")
    said: list[str] = [format_html(many, count=len(best), all=len(sure))]
    leads = format_html(_("{name} leads with {value}."), name=_bold(first), value=overall(page, first))
    said.append(leads if first in sure else _highest(page, first))
    others = [row for row in best if row is not first]
    if others:
        said.append(_others(others))
    return said


def _others(others: list[StandingsRow]) -> str:
    names = format_html_join(", ", "{}", ((_bold(row),) for row in others[:NAMED]))
    if len(others) > NAMED:
        return format_html(_("{names} and {count} more cannot be ruled out."), names=names, count=len(others) - NAMED)
    return format_html(_("{names} cannot be ruled out."), names=names)


def _rest(page: StandingsPage, ranked: list[StandingsRow], sure: list[StandingsRow]) -> list[str]:
    """Return a sentence on the systems without an interval, if others have one."""
    unknown = len(ranked) - len(sure)
    if not sure or not unknown:
        return []
    said = ngettext(
        "{count} system has no interval: any rank is possible for it.",
        "{count} systems have no interval: any rank is possible for them.",
        unknown,
    )
    return [format_html(said, count=unknown)]


def _bold(row: StandingsRow) -> SafeString:
    return format_html("<b>{}</b>", row.system.rpartition("/")[2] or row.system)
