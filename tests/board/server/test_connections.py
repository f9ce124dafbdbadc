"""Attacks on a served board over real sockets: half-open, slow and excessive connections, request bodies, wrong methods."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import quantiles
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.board.serving import import_into, served

pytest.importorskip("django", reason="needs the board's extra")
pytestmark = pytest.mark.slow

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
MANY = 32 * 2**20
"""Size in bytes of unsolicited bodies and of the long response."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served") / "board"
    import_into(folder, "--published")
    with served(folder) as address:
        get(address, "/")
        yield address


def connect(address: str, source: str = "127.0.0.1") -> socket.socket:
    """Open a connection from the given loopback address."""
    return socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), timeout=20, source_address=(source, 0))


def get(
    address: str, path: str, method: str = "GET", source: str = "127.0.0.1", body: bytes | None = None
) -> tuple[int, dict[str, str], bytes]:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20, source_address=(source, 0))
    try:
        connection.request(method, path, body=body)
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()
    finally:
        connection.close()


def is_open(connection: socket.socket) -> bool:
    """Return whether the connection is not yet known to be closed by the server."""
    connection.setblocking(False)
    try:
        return bool(connection.recv(2**16))
    except BlockingIOError:
        return True
    except OSError:
        return False


@contextmanager
def dripping(connections: list[socket.socket], pause: float = 0.2) -> Iterator[None]:
    """Send one more header byte on each connection at every pause until the context ends."""
    ended = threading.Event()

    def drip() -> None:
        while not ended.wait(pause):
            for connection in connections:
                try:
                    connection.send(b"x")
                except OSError:
                    continue

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.9"], ids=["from the same address", "from another one"])
def test_half_open_and_slow_connections_do_not_delay_others(address: str, source: str) -> None:
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connect(address)).sendall(HALF)
        slow = [stack.enter_context(connect(address)) for _ in range(50)]
        for connection in slow:
            connection.sendall(HALF)
        with dripping(slow):
            times = []
            for _ in range(40):
                began = monotonic()
                assert get(address, "/b/russian-superglue/1.1", source=source)[0] == 200
                times.append(monotonic() - began)
    assert quantiles(times, n=20)[-1] < 0.3


def test_address_over_its_limit_loses_only_its_own_oldest_connections(address: str) -> None:
    with ExitStack() as stack:
        other = stack.enter_context(connect(address, "127.0.0.3"))
        other.sendall(HALF)
        first = [stack.enter_context(connect(address, "127.0.0.2")) for _ in range(20)]
        for _ in range(100):
            stack.enter_context(connect(address, "127.0.0.2"))
        assert get(address, "/")[0] == 200  # by now the server has accepted all of them
        assert not any(map(is_open, first))
        assert is_open(other)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Address of a site with one long response and timeouts of one second."""
    from gluepot.board.server import connections

    def long(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        start("200 OK", [("Content-Length", str(MANY))])
        return [bytes(MANY)]

    for name in ("REQUEST", "PACE", "LINGER"):
        monkeypatch.setattr(connections, name, 1.0)
    site = connections.Site(long, "127.0.0.1", 0, threads=2)
    thread = threading.Thread(target=site.run)
    thread.start()
    yield f"http://127.0.0.1:{site.port}"
    site.close()
    thread.join()
    site.threads.shutdown()


def closed_within(connection: socket.socket, seconds: float) -> bool:
    end = monotonic() + seconds
    while is_open(connection):
        if monotonic() > end:
            return False
        sleep(0.05)
    return True


def test_endless_header_times_out(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(HALF)
        with dripping([connection]):
            assert closed_within(connection, 3)


def test_idle_connection_times_out(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        taken = 0
        while taken < MANY:
            taken += len(connection.recv(2**20))
        assert closed_within(connection, 4)


def test_unread_response_times_out(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sleep(4)
        taken = 0
        while data := connection.recv(2**20):
            taken += len(data)
        assert taken < MANY


def test_slowly_read_response_is_complete(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        taken = 0
        for _ in range(30):
            taken += len(connection.recv(2**17))
            sleep(0.1)
        while data := connection.recv(2**20):
            taken += len(data)
        assert taken > MANY


def test_endless_body_times_out(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        with dripping([connection]):
            assert closed_within(connection, 4)


def test_unread_pipelined_responses_do_not_block_threads(address: str) -> None:
    request = b"GET /api/scores?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(8):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", urlsplit(address).port))
            stack.enter_context(connection).sendall(request * 120)
        sleep(3)
        began = monotonic()
        assert get(address, "/robots.txt", source="127.0.0.4")[0] == 200
    assert monotonic() - began < 2


@pytest.mark.parametrize("how", ["declared", "chunked", "expected"])
def test_request_body_is_not_read(address: str, how: str) -> None:
    announced = {
        "declared": f"Content-Length: {MANY}\r\n\r\n",
        "chunked": "Transfer-Encoding: chunked\r\n\r\n",
        "expected": f"Content-Length: {MANY}\r\nExpect: 100-continue\r\n\r\n",
    }
    with connect(address) as connection:
        connection.sendall(f"POST /robots.txt HTTP/1.1\r\nHost: localhost\r\n{announced[how]}".encode())
        assert connection.recv(2**16).startswith(b"HTTP/1.1 405 Method Not Allowed\r\n"), "answered before anything of it was sent"


def test_client_that_sends_a_body_can_read_the_response(address: str) -> None:
    status, headers, _ = get(address, "/robots.txt", "POST", body=b"x" * MANY)
    assert (status, headers["Allow"], headers["Connection"]) == (405, "GET, HEAD", "close")
    assert get(address, "/robots.txt", "GET", body=b"x" * MANY)[0] == 413


def test_body_is_not_parsed_as_a_request(address: str) -> None:
    inner = b"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(address) as connection:
        head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(inner)}\r\n\r\n"
        connection.sendall(head.encode() + inner)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(2**16), b""))
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/", "/robots.txt", "/b/russian-superglue/1.1", "/api/suites", "/static/board/board.css", "/nowhere"])
def test_wrong_methods_get_405_with_the_allowed_ones(address: str, method: str, path: str) -> None:
    status, headers, body = get(address, path, method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")
    assert "Content-Security-Policy" in headers
    assert body.startswith(b"{" if path.startswith("/api/") else b"<!doctype html>")


def test_header_size_is_limited(address: str) -> None:
    assert get(address, f"/?q={'x' * 8000}")[0] == 200
    assert get(address, f"/?q={'x' * 100_000}")[0] == 431


def test_board_is_served_at_every_address_of_a_host_name(tmp_path: Path) -> None:
    with served(tmp_path / "board", host="localhost") as address:
        assert get(address, "/")[0] == 200
