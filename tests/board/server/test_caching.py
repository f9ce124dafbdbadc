"""Response cache: bounded in number and size, keyed by known parameters, and bypassed if a page reports unknown ones."""

import tracemalloc
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from tests.board.filling import fill


@pytest.fixture
def client(board: Path) -> Client:
    fill(3)
    return Client(HTTP_HOST="localhost")


IGNORING = [
    "/",
    "/sv/",
    "/robots.txt",
    "/sitemap.xml",
    "/errata",
    "/s/system-1",
    "/b/superlim/2/tasks",
    "/b/superlim/2/compare",
    "/api/suites",
]
TELLING = ["/b/superlim/2", "/b/superlim/2/performance", "/b/superlim/2/diagnostics", "/b/superlim/2/tasks/swenli"]


def versioned(path: str) -> str:
    from gluepot.board.models import SuiteVersion

    return path.replace("superlim/2", f"superlim/{SuiteVersion.objects.get().version}")


@pytest.mark.parametrize("path", IGNORING)
def test_ignored_parameters_are_not_part_of_the_cache_key(client: Client, path: str) -> None:
    plain = client.get(versioned(path))
    assert plain.status_code == 200
    for query in ("utm_source=x", "x", "colour=red&colour=blue", "%71%20=1", "sort=name&part=1"):
        asked = client.get(versioned(path), QUERY_STRING=query)
        assert (asked.headers["ETag"], asked.content) == (plain.headers["ETag"], plain.content)
    assert b"colour" not in asked.content


@pytest.mark.parametrize("path", TELLING)
def test_responses_that_report_unknown_parameters_are_not_cached(client: Client, path: str) -> None:
    told = client.get(f"{versioned(path)}?colour=red")
    assert told.status_code == 200
    assert b"colour=red" in told.content
    assert "ETag" not in told.headers
    plain = client.get(versioned(path))
    assert "ETag" in plain.headers
    assert b"colour" not in plain.content


def test_api_follows_the_same_caching_rules(client: Client) -> None:
    first, second = (client.get(f"/api/scores?limit=2&x={number}") for number in (1, 2))
    assert first.headers["ETag"] == second.headers["ETag"]
    assert "x=" not in first.json()["next"]
    told = client.get(versioned("/api/suites/superlim/2/standings?colour=red"))
    assert told.json()["unknown_parameters"] == ["colour=red"]
    assert "ETag" not in told.headers


@pytest.mark.parametrize("path", ["/b/superlim/2", "/b/superlim/2/compare", "/api/scores", "/b/superlim/2/tasks/swenli"])
def test_known_parameters_are_part_of_the_cache_key(client: Client, path: str) -> None:
    assert client.get(versioned(path)).headers["ETag"] != client.get(f"{versioned(path)}?split=dev").headers["ETag"]


def test_task_weights_are_known_parameters(client: Client) -> None:
    assert "ETag" in client.get(versioned("/b/superlim/2.json?w-swenli=2")).headers


def test_counted_size_covers_the_memory_of_many_small_responses(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.board.server.middleware.caching import ROOM, ResponseCache, ResponseCacheMiddleware

    monkeypatch.setattr(ResponseCache, "most", 400)
    cached = ResponseCacheMiddleware(lambda request: HttpResponse(request.get_full_path().encode()))
    requests = RequestFactory(HTTP_HOST="localhost")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(600):
        cached(requests.get(f"/api/scores?offset={number}"))
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(cached.kept.answers) == 400
    assert grown < 1.2 * cached.kept.size < ROOM


def test_long_responses_are_cached_up_to_a_total_size(board: Path) -> None:
    from gluepot.board.server.middleware.caching import ROOM, ResponseCacheMiddleware

    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.get_full_path().encode() + bytes(2**20))

    cached = ResponseCacheMiddleware(answer)
    for number in range(100):
        cached(RequestFactory(HTTP_HOST="localhost").get(f"/api/scores?offset={number}"))
    assert 50 < len(cached.kept.answers) < 64
    assert cached.kept.size < ROOM
    assert cached.kept.size == sum(one.size for one in cached.kept.answers.values())


def test_oversized_response_is_not_cached(board: Path) -> None:
    from gluepot.board.server.middleware.caching import ROOM, ResponseCacheMiddleware

    cached = ResponseCacheMiddleware(lambda request: HttpResponse(bytes(ROOM // 4)))
    cached(RequestFactory(HTTP_HOST="localhost").get("/"))
    assert not cached.kept.answers


@pytest.mark.parametrize("path", ["/b/superlim/2", "/b/superlim/2/tasks/swenli", "/b/superlim/2/compare?a=system-1&b=system-2"])
def test_each_response_queries_the_revision_once(client: Client, path: str) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from gluepot.board.importing.storage.entries import bump_revision
    from gluepot.board.standings.revisions import revision

    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(versioned(path)).status_code == 200
        assert sum("board_revision" in query["sql"] for query in queries) == 1
        before = revision()
        bump_revision()
        assert revision() == before + 1
