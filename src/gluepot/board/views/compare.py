"""Compare page: differences between two systems by task, with tests and intervals."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from gluepot.board.drawing.forest import ForestRow, draw_forest
from gluepot.board.drawing.formats import WRITERS, write_csv
from gluepot.board.models import SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.standings.making import chosen_split
from gluepot.board.standings.pairwise import Duel, OverallComparison, compare_by_task, overall
from gluepot.board.standings.revisions import revision
from gluepot.board.standings.score_matrix import ScoreMatrix, load_score_matrix, splits_of
from gluepot.board.views import file_response, find_system, find_version, render_page
from gluepot.board.views.citation import Citation, cite, permanent_address
from gluepot.board.views.compare_tables import reasons, shown_table, table
from gluepot.board.views.verdict import places_of_both, plain_name, verdict_of

OTHERS = 6
"""Maximum number of selected systems listed next to the two compared."""


@dataclass(frozen=True)
class ComparedSystem:
    """One of the two compared systems."""

    slug: str
    name: str
    address: str


@dataclass(frozen=True)
class Compare:
    """Data shown on the compare page."""

    suite: str
    version: str
    title: str
    split: str
    splits: list[str]
    a: ComparedSystem | None
    b: ComparedSystem | None
    verdict: list[str]
    """Findings, one sentence each."""
    better: list[str]
    """Titles of the tasks on which `a` is better."""
    worse: list[str]
    duels: list[Duel]
    overall: OverallComparison | None
    alone: int
    """Number of tasks on which only one of the two has a score."""


def compare(version: SuiteVersion, wanted: str, a: System | None, b: System | None) -> Compare:
    """Build the page for two systems, or the selection form if one is missing."""
    at = revision()
    splits = splits_of(version, at)
    field = load_score_matrix(version, chosen_split(version, wanted, splits), at)
    duels = compare_by_task(version, field, a, b) if a and b and a != b else []
    whole = overall(field, a, b) if duels and a and b else None
    return Compare(
        suite=version.name,
        version=version.version,
        title=field.suite.title,
        split=field.split,
        splits=splits,
        a=_side(a),
        b=_side(b),
        verdict=[*verdict_of(field, a, b, duels, whole), *places_of_both(version, field.split, a, b, whole)],
        better=[duel.title for duel in duels if duel.winner == "a"],
        worse=[duel.title for duel in duels if duel.winner == "b"],
        duels=duels,
        overall=whole,
        alone=_alone(field, a, b),
    )


def _side(system: System | None) -> ComparedSystem | None:
    return ComparedSystem(system.slug, system.name, addresses.system(system.slug)) if system else None


def _alone(field: ScoreMatrix, a: System | None, b: System | None) -> int:
    if a is None or b is None or a == b:
        return 0
    places = [number for number, facts in enumerate(field.systems) if facts.id in (a.pk, b.pk)]
    firsts = [field.entries[column.name, column.metrics[0]] for column in field.columns]
    known = (field.values[firsts][:, places] == field.values[firsts][:, places]).sum(axis=1)
    return int((known == 1).sum())


@accepts_parameters("a", "b", "s", "split")
def view(request: HttpRequest, suite: str, version: str, form: str | None = None) -> HttpResponse:
    found = find_version(suite, version)
    asked = {name: request.GET.get(name, "").replace("\0", "").strip() for name in ("a", "b", "split")}
    a, b = (find_system(asked[name]) if asked[name] else None for name in ("a", "b"))
    page = compare(found, asked["split"], a, b)
    if form == "csv":
        return file_response(write_csv(*table(page)), "csv")
    if form in ("md", "tex"):
        return file_response(WRITERS[form](*shown_table(page)), form)
    if form == "bib":
        return _cited(request, page, asked).response()
    if form == "json":
        return render_page(request, page, "compare", "json")
    chosen = {slug for slug in request.GET.get("s", "").replace("\0", "").split(",") if slug} - {asked["a"], asked["b"]}
    others = System.objects.filter(slug__in=sorted(chosen)[:OTHERS]).order_by("name")
    return render_page(request, page, "compare", others=others, cited=_cited(request, page, asked), **_more(found, page, asked))


def _cited(request: HttpRequest, page: Compare, asked: dict[str, str]) -> Citation:
    """Return the citation of this comparison; without a BibTeX entry if fewer than two systems are selected."""
    query = urlencode({**{name: asked[name] for name in ("a", "b") if asked[name]}, "split": page.split})
    address = permanent_address(request, page.suite, page.version, "compare", query)
    if page.a is None or page.b is None:
        return Citation(address, "")
    title = f"{page.a.name} against {page.b.name} on {page.title} {page.version}, {page.split}"
    return cite(f"{page.a.slug}-{page.b.slug}-{page.suite}", title, address)


def _more(version: SuiteVersion, page: Compare, asked: dict[str, str]) -> dict[str, Any]:
    """Return the context used by the HTML only: form, links, plots and reasons in words."""
    field = load_score_matrix(version, page.split, revision())
    sides = {name: asked[name] for name in ("a", "b") if asked[name]}

    def link(form: str = "", **changes: str) -> str:
        query = {**sides, **({"split": asked["split"]} if page.split == asked["split"] else {}), **changes}
        return addresses.board(page.suite, page.version, "compare", urlencode(query), form)

    scale, plots = draw_forest([_whole_difference(page.overall), *map(_difference, page.duels)])
    labels = [plain_name(page.suite, duel) for duel in page.duels]
    return {
        "scale": scale,
        "whole": plots[0],
        "systems": [(facts.slug, facts.name) for facts in field.systems],
        "splits": [(name, link(split=name), name == page.split) for name in page.splits],
        "files": [(form.upper(), link(form)) for form in ("csv", "json", "md", "tex", "bib")] if page.duels else [],
        "swapped": link(a=asked["b"], b=asked["a"]) if page.duels else "",
        "here": addresses.board(page.suite, page.version, "compare"),
        "unknown": asked["split"] if asked["split"] and asked["split"] != page.split else "",
        "rows": [
            (duel, label, plot, reasons().get(duel.untested, "")) for duel, label, plot in zip(page.duels, labels, plots[1:], strict=True)
        ],
    }


def _difference(duel: Duel) -> ForestRow | None:
    if duel.judged is None or duel.difference is None or duel.low is None or duel.high is None:
        return None
    return ForestRow(duel.low, duel.difference, duel.high, duel.judged.detectable, duel.winner)


def _whole_difference(mean: OverallComparison | None) -> ForestRow | None:
    if mean is None or mean.low is None or mean.high is None:
        return None
    return ForestRow(mean.low, mean.difference, mean.high, None, mean.winner)
