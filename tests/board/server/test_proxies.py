"""Client addresses behind trusted proxies; forwarding headers from other peers are ignored."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tests.board.server.test_connections import HALF, connect, is_open
from tests.board.users import wait_for

from gluepot.board.server import connections
from gluepot.board.server.middleware import visitors
from gluepot.board.server.proxies import read_proxies
from gluepot.errors import WrongUse

PROXY, STRANGER = "127.0.0.5", "127.0.0.6"
OURS = read_proxies(f"{PROXY}, 10.0.0.0/8, 2001:db8::/32")


@pytest.mark.parametrize(
    ("peer", "forwarded", "visitor"),
    [
        (STRANGER, "192.0.2.7", STRANGER),
        (PROXY, "192.0.2.7", "192.0.2.7"),
        (PROXY, "6.6.6.6, 192.0.2.7", "192.0.2.7"),
        (PROXY, "6.6.6.6,192.0.2.7, 10.1.2.3", "192.0.2.7"),
        (PROXY, "6.6.6.6, 2001:db8::7", "6.6.6.6"),
        (PROXY, "192.0.2.7:4711", "192.0.2.7"),
        (PROXY, "::ffff:192.0.2.7", "192.0.2.7"),
        (PROXY, "192.0.2.7, nonsense", PROXY),
        (PROXY, "", PROXY),
        (PROXY, "10.0.0.1", "10.0.0.1"),
        ("", "192.0.2.7", ""),
    ],
)
def test_last_address_that_is_not_a_trusted_proxy_is_the_visitor(peer: str, forwarded: str, visitor: str) -> None:
    assert OURS.visitor(peer, forwarded) == visitor


def test_unix_socket_is_trusted_if_listed() -> None:
    assert read_proxies("unix").visitor("", "192.0.2.7") == "192.0.2.7"
    assert not read_proxies("")


@pytest.mark.parametrize("text", ["1", "localhost", "10.0.0.1/8"])
def test_invalid_proxy_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(WrongUse, match=r"GLUEPOT_PROXIES: .*127\.0\.0\.1"):
        read_proxies(text)


@pytest.mark.parametrize(("peer", "counted", "secure"), [(STRANGER, STRANGER, False), (PROXY, "192.0.2.7", True)])
def test_forwarding_headers_of_untrusted_peers_are_ignored(peer: str, counted: str, secure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.http import HttpRequest, HttpResponse
    from django.test import RequestFactory, override_settings

    from gluepot.board.submitting.intake.rate_limits import address_of

    monkeypatch.setattr(visitors, "PROXIES", OURS)
    heard: list[Any] = []

    def answer(request: HttpRequest) -> HttpResponse:
        heard.extend([address_of(request), request.is_secure(), "HTTP_X_REAL_IP" in request.META])
        return HttpResponse()

    told = {"HTTP_X_FORWARDED_FOR": "192.0.2.7", "HTTP_X_FORWARDED_PROTO": "https", "HTTP_X_REAL_IP": "6.6.6.6"}
    with override_settings(SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https")):
        visitors.ClientAddressMiddleware(answer)(RequestFactory().get("/", REMOTE_ADDR=peer, **told))
    assert heard == [counted, secure, False]


@pytest.fixture
def slow_site(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, threading.Event, list[str]]]:
    """Site limited to two connections per visitor: its address, the event that releases responses, and the visitors served."""
    go, begun = threading.Event(), list[str]()

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        begun.append(environ.get("HTTP_X_FORWARDED_FOR", ""))
        go.wait(30)
        start("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    monkeypatch.setattr(connections, "PROXIES", OURS)
    site = connections.Site(answer, "127.0.0.1", 0, threads=8)
    site.connections.each = 2
    thread = threading.Thread(target=site.run)
    thread.start()
    yield f"http://127.0.0.1:{site.port}", go, begun
    go.set()
    site.close()
    thread.join()
    site.threads.shutdown()


def asked(address: str, source: str, visitor: str) -> socket.socket:
    connection = connect(address, source)
    connection.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {visitor}\r\n\r\n".encode())
    return connection


def is_answered(connection: socket.socket) -> bool:
    connection.settimeout(20)
    answer = http.client.HTTPResponse(connection)
    try:
        answer.begin()
    except (OSError, http.client.HTTPException):
        return False
    return answer.status == 200


def test_connection_limit_applies_to_visitors_and_not_to_the_proxy(slow_site: tuple[str, threading.Event, list[str]]) -> None:
    address, go, begun = slow_site
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(address, PROXY)) for _ in range(6)]
        for connection in idle:
            connection.sendall(HALF)
        greedy = [stack.enter_context(asked(address, PROXY, "192.0.2.7")) for _ in range(4)]
        assert wait_for(lambda: sum(map(is_open, greedy)) == 2)
        other = stack.enter_context(asked(address, PROXY, "192.0.2.8"))
        assert wait_for(lambda: "192.0.2.8" in begun)
        go.set()
        assert is_answered(other)
        assert sum(map(is_answered, greedy)) == 2
        assert all(map(is_open, idle))


def test_forged_addresses_do_not_evade_the_connection_limit(slow_site: tuple[str, threading.Event, list[str]]) -> None:
    address, go, _ = slow_site
    with ExitStack() as stack:
        sent = [stack.enter_context(asked(address, STRANGER, f"192.0.2.{number}")) for number in range(4)]
        assert wait_for(lambda: sum(map(is_open, sent)) == 2)
        go.set()
        assert sum(map(is_answered, sent)) == 2
