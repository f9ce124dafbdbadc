"""Security headers on every response: pages, files and errors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from tests.board.filling import fill
from tests.board.test_odd_addresses import PAGES


@pytest.fixture
def client(board: Path) -> Client:
    fill(3)
    return Client(HTTP_HOST="localhost", raise_request_exception=False)


def assert_kept_to_itself(answer: Any) -> None:
    from gluepot.board.server.middleware.security import HEADERS, POLICY

    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY


def routes() -> Iterator[str]:
    """Yield an address of every route, in two languages."""
    for prefix in ("", "/ru"):
        yield from (f"{prefix}{page}" for page in PAGES)
    yield from ("/b/superlim", "/robots.txt", "/sitemap.xml", "/static/board/board.css", "/static/nowhere.css")
    yield from ("/api/openapi.json", "/api/suites", "/api/suites/superlim/2", "/api/systems/system-1", "/api/snapshots", "/api/snapshots/x")


def test_every_route_is_tested(board: Path) -> None:
    from django.urls import get_resolver
    from django.utils.translation import override

    from gluepot.board.server.middleware.private import private_area

    known = [page.lstrip("/") for page in routes()]
    with override("en"):
        found = get_resolver().url_patterns
        patterns = [inner for outer in found if str(outer.pattern) != "api/my/" for inner in getattr(outer, "url_patterns", [outer])]
        patterns = [
            one
            for one in patterns
            if private_area(f"/{one.pattern}".replace("^", "").replace("\\", "").partition("(")[0].rstrip(".")) is None
        ]
    for pattern in patterns:
        places = [*known, *(place.removeprefix("api/") for place in known)]
        assert any(pattern.pattern.match(place) for place in places), f"no address for {pattern.pattern}"


@pytest.mark.parametrize("address", sorted(set(routes())))
def test_every_response_has_the_security_headers(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code in (200, 302, 404), address
    assert_kept_to_itself(answer)
    answer.close()


def test_pages_have_no_inline_scripts_or_styles(client: Client) -> None:
    for page in PAGES:
        answer = client.get(page)
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
            text = answer.content.decode()
            assert " style=" not in text, page
            assert "<style" not in text, page
            assert " onclick=" not in text, page
            assert text.count("<script") == text.count('<script type="module" src="/static/'), page


def test_error_pages_have_headers_and_layout_and_leak_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = client.get("/sv/b/nowhere/1")
    assert missing.status_code == 404
    assert "nowhere 1" in missing.content.decode()
    refused = client.get("/", headers={"host": "evil.example"})
    assert refused.status_code == 400

    def fails(request: HttpRequest) -> HttpResponse:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("gluepot.board.views.home.home", fails)
    broken = client.get("/")
    assert broken.status_code == 500
    for answer in (missing, refused, broken):
        assert_kept_to_itself(answer)
        page = answer.content.decode()
        assert '<header class="site">' in page
        assert "evil.example" not in page
        assert "the secret" not in page


def test_api_errors_are_json_and_leak_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_given: Any) -> Any:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("gluepot.board.api.suites._counts", fails)
    for address, status in (("/api/suites", 500), ("/api/nothing", 404), ("/api/scores?limit=0", 422)):
        answer = client.get(address)
        assert answer.status_code == status
        assert list(answer.json()) == ["detail"]
        assert "the secret" not in answer.json()["detail"]
        assert_kept_to_itself(answer)
    refused = client.get("/api/suites", headers={"host": "evil.example"})
    assert (refused.status_code, list(refused.json())) == (400, ["detail"])


@pytest.mark.parametrize(("host", "query"), [("evil.example", ""), ("localhost:x", ""), ("localhost", "?" + "task=1&" * 2000)])
def test_malformed_requests_are_not_logged(client: Client, host: str, query: str, capfd: pytest.CaptureFixture[str]) -> None:
    from logging.config import dictConfig

    from django.conf import settings

    dictConfig(settings.LOGGING)
    assert client.get(f"/api/scores{query}", HTTP_HOST=host).status_code == 400
    assert capfd.readouterr().err == ""
