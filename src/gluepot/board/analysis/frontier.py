"""Pareto frontiers of quality against parameter count and against release date."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from gluepot.board.models import SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.record import RANKED, StandingsPage, StandingsRow
from gluepot.board.standings.state import State
from gluepot.statistics.pareto import OPEN, memberships

SIZE, DATE = AGAINST = ("size", "date")


@dataclass(frozen=True)
class FrontierPoint:
    """A system with its quality and its size or date."""

    slug: str
    name: str
    address: str
    value: float
    low: float | None
    high: float | None
    verified: bool
    against: float
    """Parameters, or the date as a fractional year; less is better."""
    told: str = ""
    """The date as precisely as it is known."""
    frontier: str = OPEN
    """`on` the frontier, certainly `beaten`, or `open`."""


@dataclass(frozen=True)
class Frontier:
    """Data of one plot."""

    against: str
    """size or date"""
    points: list[FrontierPoint]
    """Best first."""
    unknown: list[str]
    """Systems of unknown size or date."""


def find_frontiers(version: SuiteVersion, state: State) -> tuple[StandingsPage, list[Frontier]]:
    """Return the standings page with the scores, and both plots."""
    page = make_standings(version, state, whole=True)
    rows = [row for row in page.section(RANKED) if row.overall is not None and row.role == "system"]
    known = System.objects.filter(slug__in=[row.slug for row in rows]).values_list("slug", "released", "added")
    dates = {slug: released or _day(added) for slug, released, added in known}
    given = {slug for slug, released, _added in known if released}
    sizes = {row.slug: float(row.parameters) for row in rows if row.parameters}
    times = {row.slug: year_of(dates[row.slug]) for row in rows if row.slug in given or row.verified}
    return page, [_frontier(SIZE, rows, sizes, {}), _frontier(DATE, rows, times, dates)]


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def year_of(told: str) -> float:
    """Convert a date to a fractional year; a year or a month alone counts as its beginning.

    >>> year_of("2020"), year_of("2020-07"), round(year_of("2021-12-31"), 3)
    (2020.0, 2020.5, 2021.997)
    """
    year, month, day = ([int(part) for part in told.split("-")] + [1, 1])[:3]
    if "-" not in told[5:]:
        return year + (month - 1) / 12
    return year + (date(year, month, day) - date(year, 1, 1)).days / 365.25


def _frontier(against: str, rows: list[StandingsRow], found: dict[str, float], told: dict[str, str]) -> Frontier:
    drawn = [row for row in rows if row.slug in found]
    ranges = [[(row.overall or 0.0, row.overall_low, row.overall_high), (-found[row.slug],) * 3] for row in drawn]
    points = [
        FrontierPoint(
            slug=row.slug,
            name=row.system,
            address=addresses.system(row.slug),
            value=row.overall or 0.0,
            low=row.overall_low,
            high=row.overall_high,
            verified=row.verified,
            against=found[row.slug],
            told=told.get(row.slug, ""),
            frontier=place,
        )
        for row, place in zip(drawn, memberships(ranges), strict=True)
    ]
    return Frontier(against, sorted(points, key=lambda one: -one.value), [row.system for row in rows if row.slug not in found])
