"""The front page: the suites on this board, each with its leader."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from gluepot.board.models import SuiteVersion
from gluepot.board.pages import answer
from gluepot.board.pages.quality import quality
from gluepot.board.server import addresses
from gluepot.board.standings.state import State


@dataclass(frozen=True)
class SuiteListing:
    """A suite version in the list."""

    title: str
    version: str
    language: str
    summary: str
    address: str
    systems: int
    leader: str | None
    overall: float | None
    tied: int


@dataclass(frozen=True)
class Home:
    """Everything that the front page shows."""

    suites: list[SuiteListing]


def home() -> Home:
    return Home([_shelf(version) for version in SuiteVersion.objects.order_by("name", "-pk")])


def _shelf(version: SuiteVersion) -> SuiteListing:
    page = quality(version, State())
    ranked = page.sections["ranked"]
    leader = ranked[0] if ranked else None
    declared = version.declaration
    return SuiteListing(
        declared["title"],
        version.version,
        declared["language"],
        declared["summary"],
        addresses.board(version.name, version.version),
        page.systems,
        leader.facts.name if leader else None,
        leader.overall if leader else None,
        page.tied if leader and leader.rank and leader.rank.low else 0,
    )


def view(request: HttpRequest) -> HttpResponse:
    return answer(request, home(), "home")
