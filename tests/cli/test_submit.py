"""`gluepot submit` against a server that is not a board: messages instead of tracebacks, bounded responses, and no leaked key."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.runs.tampering import make

from gluepot.cli import main
from gluepot.submissions import sending

KEY = "gluepot_very-secret-4711"
SOUND: dict[str, Any] = {"key": "k", "name": "n", "state": "scored", "page": "/p", "reason": "", "score": None}
LINE = {"title": "t", "value": 0.5, "low": None, "high": None, "verdict": ""}
Serve = Callable[[int, bytes], str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("sent") / "run")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Return a function that starts a server which answers every submission with the given status and body."""
    monkeypatch.setenv("GLUEPOT_KEY", KEY)
    servers: list[ThreadingHTTPServer] = []

    def begin(status: int, body: bytes) -> str:
        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(status if self.command == "POST" else 200)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere\x1b[2J")
                self.end_headers()
                with suppress(OSError):  # the client may stop reading
                    self.wfile.write(body)

            do_GET = do_POST

            def log_message(self, *given: Any) -> None:
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Answers))
        Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield begin
    for server in servers:
        server.shutdown()
        server.server_close()


def said(document: Any) -> bytes:
    return json.dumps(document).encode()


ODD = {
    "nothing": (201, b""),
    "no object": (201, b"[1]"),
    "nothing in it": (201, b"{}"),
    "other types": (201, said(SOUND | {"name": 1, "state": [], "page": None})),
    "nested deeply": (201, b"[" * 200_000),
    "a long number": (201, b'{"name": ' + b"9" * 5000 + b"}"),
    "no text": (201, b'{"name": "\xff\xfe"}'),
    "half a character": (201, said(SOUND | {"key": "\ud800"})),
    "a score of words": (201, said(SOUND | {"score": {"tasks": [LINE | {"value": "high"}]}})),
    "a score of no number": (201, said(SOUND | {"score": {"tasks": [LINE | {"value": float("nan")}]}})),
    "problems that are none": (422, said({"problems": 5})),
    "problems of other types": (422, said({"problems": [{"code": 3}, 5]})),
    "a reason that is none": (500, said({"detail": {"a": "\x1b[2J"}, "next": [1]})),
    "elsewhere": (303, b""),
}


@pytest.mark.parametrize("odd", ODD)
def test_reports_an_invalid_response(odd: str, run: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", str(run), "--to", serve(*ODD[odd])]) == 1
    told = capsys.readouterr().err
    assert told.startswith("gluepot: http://127.0.0.1:")
    assert "\x1b" not in told
    assert KEY not in told


def test_rejects_a_response_that_does_not_end(
    run: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sending, "ANSWER", 1000)
    assert main(["submit", str(run), "--to", serve(201, b"x" * 100_000)]) == 1
    assert "does not end" in capsys.readouterr().err


def test_rejects_a_response_that_is_too_slow(
    run: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    address = serve(201, said(SOUND))
    monkeypatch.setattr(sending, "_too_slow", lambda began: True)
    assert main(["submit", str(run), "--to", address]) == 1
    assert "too slowly" in capsys.readouterr().err


def test_escapes_control_sequences_in_a_response(run: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    odd = SOUND | {"name": "x\x1b]0;owned\x07", "score": {"tasks": [LINE | {"title": "t\x1b[2J", "verdict": "\x1b[3m"}]}}
    assert main(["submit", str(run), "--to", serve(201, said(odd))]) == 0
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    assert "\\x1b[2J" in told.out


@pytest.mark.parametrize(("low", "high", "place"), [(2, 2, "rank 2 of 3"), (1, 3, "rank 1–3 of 3"), (None, None, "rank 2 of 3")])
def test_prints_rank_and_verdict_as_on_the_site(
    run: Path, serve: Serve, capsys: pytest.CaptureFixture[str], low: int | None, high: int | None, place: str
) -> None:
    places = {"overall": 0.5, "rank": 2, "rank_low": low, "rank_high": high, "of": 3}
    scored = SOUND | {"score": {"tasks": [LINE | {"verdict": "undecided"}], **places}}
    assert main(["submit", str(run), "--to", serve(201, said(scored))]) == 0
    told = capsys.readouterr().out
    assert place in told
    assert "cannot be told apart" in told


def test_rejects_a_key_with_a_newline_and_an_invalid_address(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for key, address in (
        (f"{KEY}\r\nX: 1", "http://127.0.0.1:9"),
        (KEY, "http://127.0.0.1:abc"),
        (KEY, "http://[::1"),
        (KEY, "http://127.0.0.1:99999"),
    ):
        monkeypatch.setenv("GLUEPOT_KEY", key)
        assert main(["submit", str(run), "--to", address]) == 2
        assert KEY not in capsys.readouterr().err
