"""Suites with their tasks and standings."""

from collections import Counter
from typing import Any

import msgspec
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from ninja import Router

from gluepot.board.api.paging import SuiteName, VersionName
from gluepot.board.api.schemas import NOT_FOUND, SuiteFacts, SuiteLine
from gluepot.board.models import Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import TOLD
from gluepot.board.standings.aggregates import AGGREGATES
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.record import StandingsPage
from gluepot.board.standings.score_matrix import stored_suite
from gluepot.board.standings.state import OPENNESS, parse_state
from gluepot.board.views import file_response, find_version
from gluepot.records import Task

router = Router()


@router.get("/suites", response=list[SuiteLine], summary="All suites")
def list_suites(request: HttpRequest) -> list[dict[str, Any]]:
    """List every version of every suite that has results on this board."""
    versions = list(SuiteVersion.objects.order_by("name", "-pk"))
    return [_line(version, splits, systems) for version, (splits, systems) in zip(versions, _counts(versions), strict=True)]


@router.get("/suites/{suite}/{version}", response={200: SuiteFacts, **NOT_FOUND}, summary="A suite with its tasks")
def one_suite(request: HttpRequest, suite: SuiteName, version: VersionName) -> dict[str, Any]:
    """Return the suite as declared when its first result was imported: tasks with sizes, metrics and licences."""
    found = find_version(suite, version)
    declared = stored_suite(found)
    splits, systems = _counts([found])[0]
    return {
        **_line(found, splits, systems),
        "terms": declared.overall.terms,
        "note": declared.overall.note,
        "tasks": [_task(task) for task in declared.tasks.values()],
    }


_STATE = {
    "split": "the split; the suite's own if none is named",
    "tasks": "only these tasks: nli,wic",
    "w": "weights: nli:2,wic:0.5",
    "only": "the one task that ranks; the others stay in sight",
    "ver": "only scores that this harness made, with its version",
    "fam": "only these families",
    "pmin": "parameters at least: 10M",
    "pmax": "parameters at most: 150M",
    "lang": "trained for one of these languages",
    "open": f"open {', '.join(OPENNESS)}",
    "q": "words in name, family or team",
    "sort": "a task or name, family, parameters, data, overall, coverage; - before it for descending",
    "agg": f"the overall number: {', '.join(AGGREGATES)}",
    "miss": "hide leaves incomplete systems out",
    "pin": "systems on top, by their slugs, whatever else is chosen",
    "s": "only these systems, by their slugs, with their ranks among all",
    "ci": "95 as the page has it; intervals are always in the answer",
    "page": "500 rows a page",
}
_PARAMETERS = [
    {"name": name, "in": "query", "required": False, "description": text, "schema": {"type": "string"}} for name, text in _STATE.items()
]


@router.get(
    "/suites/{suite}/{version}/standings",
    response={200: StandingsPage, **NOT_FOUND},
    summary="Standings",
    openapi_extra={"parameters": _PARAMETERS, TOLD: "told in the answer"},
)
def standings(request: HttpRequest, suite: SuiteName, version: VersionName) -> HttpResponse:
    """Return the quality page for the same query as in the page's own address; unknown parameters are listed in the response."""
    state = parse_state(request.META.get("QUERY_STRING", ""))
    page = make_standings(find_version(suite, version), state)
    return file_response(msgspec.json.encode(page).decode(), "json")


def _counts(versions: list[SuiteVersion]) -> list[tuple[list[str], int]]:
    """Return the splits, most scores first, and the number of systems with a score for each version, in two queries."""
    current = Score.objects.filter(entry__suite__in=versions, current=True, slice="")
    sizes: dict[int, Counter[str]] = {version.pk: Counter() for version in versions}
    for key, split, number in current.values_list("entry__suite", "split").annotate(Count("pk")):
        sizes[key][split] = number
    systems = dict(current.values_list("entry__suite").annotate(Count("entry__system", distinct=True)))
    return [([name for name, _ in sizes[version.pk].most_common()], systems.get(version.pk, 0)) for version in versions]


def _line(version: SuiteVersion, splits: list[str], systems: int) -> dict[str, Any]:
    declared = version.declaration
    names = ("title", "language", "summary", "license", "citation", "link")
    return {
        "name": version.name,
        "version": version.version,
        **{name: declared[name] for name in names},
        "splits": splits,
        "systems": systems,
        "address": addresses.board(version.name, version.version),
    }


def _task(task: Task) -> dict[str, Any]:
    names = ("name", "title", "summary", "kind", "language", "domain", "metrics", "labels", "license", "citation", "link", "official")
    return {
        **{name: getattr(task, name) for name in names},
        "sizes": task.data.rows,
        "counts": task.data.counts,
        "hidden": task.data.unlabelled,
        "trained_on": task.trained_on,
        "may_skip": task.may_skip,
        "coverage": task.coverage,
        "published_skips": task.published_skips,
    }
