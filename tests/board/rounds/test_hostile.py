"""Malformed requests and half-open connections to raters' pages cause no errors and block no other rater."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.board.rounds.raters import hidden, opened, visit

HALF_OPEN = 110


@pytest.mark.parametrize(("task", "answer"), [("questions-da", "a\0b"), ("multi-choice-ru", ["0", "9" * 5000])])
def test_malformed_form_is_read_or_refused_without_an_error(rounds, task: str, answer: Any) -> None:
    _, _, (token,) = opened(1, f"pocket/{task}", items=1, votes=1)
    visit(token, {"go": "consent"})
    item = hidden(visit(token).content.decode(), "item")
    odd = [{"question": "\0", "answer": answer}, {"question": "", "answer": answer, "comment": "x\0y"}]
    for form in odd:
        assert visit(token, {"item": item, **form}).status_code == 302
    assert visit(token, {f"f{number}": "x" for number in range(600)}).status_code == 404


@pytest.fixture
def address() -> Iterator[str]:
    """Address of a rounds server whose page returns the number of bytes received."""
    pytest.importorskip("django", reason="needs the extra 'board'")
    from gluepot.board.rounds.serving import RaterListener
    from gluepot.board.server.connections import Site

    def count(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [])
        return [str(len(environ["wsgi.input"].read())).encode()]

    site = Site(count, "127.0.0.1", 0, 2, RaterListener)
    thread = threading.Thread(target=site.run)
    thread.start()
    yield f"http://127.0.0.1:{site.port}/r/x"
    site.close()
    thread.join()
    site.threads.shutdown()


def test_half_open_connections_do_not_block_raters(address: str) -> None:
    place = httpx.URL(address)
    held = [socket.create_connection((place.host, place.port)) for _ in range(HALF_OPEN)]
    for one in held:
        one.sendall(b"GET /r/x HTTP/1.1\r\nHost: localhost\r\n")
    assert httpx.get(address, timeout=60).text == "0"
    for one in held:
        one.close()


def test_form_is_read_completely_and_an_oversized_one_is_refused(address: str) -> None:
    assert httpx.post(address, content=b"x" * 2**17).text == str(2**17)
    assert httpx.post(address, content=b"x" * (2**17 + 1)).status_code == 413
