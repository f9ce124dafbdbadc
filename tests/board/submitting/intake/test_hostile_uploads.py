"""Hostile uploads: each is refused with its code, within time and memory limits, and leaves nothing behind."""

import gzip
import io
import os
import socket
import stat
import struct
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from tests.board.submitting.people import Visitor, make_member

TASK, FIRST = "stance-sv", "stance-sv-test-001"
ROW = b'{"id":"stance-sv-test-001","prediction":"neutral"}\n'
SECONDS, MEMORY = 2.0, 300 * 2**20
Case = tuple[str, bytes | Callable[[], bytes], str]
"""File name, content, and the problem code that it is refused with."""


def row(prediction: str, item: str = FIRST, more: str = "") -> bytes:
    return f'{{"id":"{item}","prediction":{prediction}{more}}}\n'.encode()


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, **info: Any) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            for field, value in info.items():
                setattr(entry, field, value)
            archive.writestr(entry, data)
    return stream.getvalue()


def twice(name: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for _ in range(2):
            with pytest.warns(UserWarning, match="Duplicate") if _ else _nothing():
                archive.writestr(name, ROW)
    return stream.getvalue()


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


def patched(data: bytes, offset: int, form: str, value: int) -> bytes:
    """Return a zip with one field of its central directory overwritten."""
    changed = bytearray(data)
    struct.pack_into(form, changed, changed.rindex(b"PK\1\2") + offset, value)
    return bytes(changed)


def tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        entry = tarfile.TarInfo(f"{TASK}.jsonl")
        entry.size = len(ROW)
        archive.addfile(entry, io.BytesIO(ROW))
    return stream.getvalue()


NAME = f"{TASK}.jsonl"
LINK = {"external_attr": (stat.S_IFLNK | 0o777) << 16, "create_system": 3}
FILES: dict[str, Case] = {
    "a bomb of zeros": ("s.zip", lambda: packed({NAME: bytes(100 * 2**20)}), "zip-bomb"),
    "a bomb of one letter": ("s.zip", lambda: packed({NAME: b"a" * 50 * 2**20}), "zip-bomb"),
    "many bombs": ("s.zip", lambda: packed({f"{TASK}/{n}.jsonl": bytes(8 * 2**20) for n in range(8)}), "zip-bomb"),
    "a size that lies": ("s.zip", lambda: patched(packed({NAME: ROW * 100}), 24, "<I", 10), "unreadable"),
    "ten thousand members": ("s.zip", lambda: packed({f"{n}.jsonl": ROW for n in range(10_000)}), "too-many-files"),
    "two hundred and one members": ("s.zip", lambda: packed({f"{n}.jsonl": ROW for n in range(201)}), "too-many-files"),
    "a zip in a zip": ("s.zip", lambda: packed({"inner.zip": packed({NAME: ROW})}), "nested-archive"),
    "a way up": ("s.zip", lambda: packed({f"../{NAME}": ROW}), "unsafe-path"),
    "a long way up": ("s.zip", lambda: packed({f"../../../../tmp/{NAME}": ROW}), "unsafe-path"),
    "a way up in the middle": ("s.zip", lambda: packed({f"a/../../{NAME}": ROW}), "unsafe-path"),
    "an absolute path": ("s.zip", lambda: packed({f"/etc/{NAME}": ROW}), "unsafe-path"),
    "a path of Windows": ("s.zip", lambda: packed({f"C:\\{NAME}": ROW}), "unsafe-path"),
    "a way up of Windows": ("s.zip", lambda: packed({f"..\\{NAME}": ROW}), "unsafe-path"),
    "a name with a zero": (
        "s.zip",
        lambda: packed({"stance-sv.jsonx": ROW}).replace(b"stance-sv.jsonx", b"stance-sv\0.json"),
        "unsupported-format",
    ),
    "a name with a line break": ("s.zip", lambda: packed({"stance\nsv.jsonl": ROW}), "unsafe-path"),
    "a name that turns round": ("s.zip", lambda: packed({"stance\u202elnosj.sv": ROW}), "unsafe-path"),
    "a link": ("s.zip", lambda: packed({NAME: b"/etc/passwd"}, **LINK), "symlink"),
    "a link to the key": ("s.zip", lambda: packed({NAME: b"../../secret-key"}, **LINK), "symlink"),
    "a name twice": ("s.zip", lambda: twice(NAME), "duplicate-entry"),
    "names that differ by case": ("s.zip", lambda: packed({"Stance-sv.jsonl": ROW, "stance-sv.jsonl": ROW}), "duplicate-task"),
    "a task twice": ("s.zip", lambda: packed({f"a/{NAME}": ROW, f"b/{NAME}": ROW}), "duplicate-task"),
    "an encrypted member": ("s.zip", lambda: patched(packed({NAME: ROW}), 8, "<H", 1), "encrypted"),
    "bzip2": ("s.zip", lambda: packed({NAME: ROW}, zipfile.ZIP_BZIP2), "unsupported-compression"),
    "LZMA": ("s.zip", lambda: packed({NAME: ROW}, zipfile.ZIP_LZMA), "unsupported-compression"),
    "half a zip": ("s.zip", lambda: packed({NAME: ROW * 100})[:60], "broken-archive"),
    "a zip without its end": ("s.zip", lambda: packed({NAME: ROW * 100})[:-10], "broken-archive"),
    "a zip of nothing": ("s.zip", lambda: packed({}), "empty-submission"),
    "a zip of folders": ("s.zip", lambda: packed({"a/": b"", "b/": b""}), "empty-submission"),
    "a zip of litter": ("s.zip", lambda: packed({"__MACOSX/._a": b"x", ".DS_Store": b"x"}), "empty-submission"),
    "noise called a zip": ("s.zip", bytes(range(256)) * 100, "broken-archive"),
    "a tar": ("s.tar", tar, "unsupported-archive"),
    "a gzip": ("s.jsonl.gz", lambda: gzip.compress(ROW), "unsupported-archive"),
    "a gzip bomb": ("s.gz", lambda: gzip.compress(bytes(20 * 2**20)), "unsupported-archive"),
    "seven-zip": ("s.7z", b"7z\xbc\xaf\x27\x1c" + bytes(100), "unsupported-archive"),
    "a picture": (NAME, b"\x89PNG\r\n\x1a\n" + bytes(500), "broken-json"),
    "a program": (NAME, b"\x7fELF" + bytes(500), "broken-json"),
    "a page": (NAME, b"<script>alert(1)</script>\n", "broken-json"),
    "pickled": (NAME, b"\x80\x04\x95cos\nsystem\n", "broken-json"),
    "nothing": (NAME, b"", "empty-file"),
    "blank lines": (NAME, b"\n" * 1000, "empty-file"),
    "not UTF-8": (NAME, b'{"id":"\xff\xfe","prediction":"neutral"}\n', "not-utf8"),
    "UTF-16": (NAME, ROW.decode().encode("utf-16"), "not-utf8"),
    "deep brackets": (NAME, b"[" * 100_000 + b"\n", "too-deep"),
    "deep answers": (NAME, row("[" * 500 + "]" * 500), "wrong-type"),
    "a line without an end": (NAME, b'{"id":"' + b"a" * 3 * 2**20, "line-too-long"),
    "a list": (NAME, b"[1, 2]\n", "wrong-type"),
    "a number": (NAME, b"17\n", "wrong-type"),
    "an answer that is NaN": (NAME, row("NaN"), "not-a-number"),
    "a number beyond all": (NAME, row("1e999"), "wrong-type"),
    "a number of many digits": (NAME, row("9" * 5000), "not-a-number"),
    "an object for an answer": (NAME, row('{"a": 1}'), "wrong-type"),
    "null": (NAME, row("null"), "wrong-type"),
    "no answer": (NAME, f'{{"id":"{FIRST}"}}\n'.encode(), "missing-prediction"),
    "no id": (NAME, b'{"prediction":"neutral"}\n', "missing-id"),
    "a key twice": (NAME, f'{{"id":"{FIRST}","id":"x","prediction":"neutral"}}\n'.encode(), "duplicate-key"),
    "an id twice": (NAME, ROW * 2, "duplicate-id"),
    "an unknown id": (NAME, row('"neutral"', "nobody"), "unknown-id"),
    "a label of SQL": (NAME, row('"\'; DROP TABLE board_score; --"'), "unknown-label"),
    "a label of HTML": (NAME, row('"<img src=x onerror=alert(1)>"'), "unknown-label"),
    "a very long label": (NAME, row(f'"{"a" * 30_000}"'), "unknown-label"),
    "a hundred thousand problems": (NAME, lambda: b'{"id":"x","prediction":"y"}\n' * 100_000, "gave-up"),
    "another suite's task": ("parus.jsonl", ROW, "unknown-task"),
    "a table": ("stance-sv.xlsx", packed({"xl/workbook.xml": b"<x/>"}), "empty-submission"),
}


class Peak:
    """Peak memory of the process within the context."""

    def __enter__(self) -> "Peak":
        Path("/proc/self/clear_refs").write_text("5")
        self.before = self._of("VmRSS")
        return self

    def __exit__(self, *told: Any) -> None:
        self.bytes = self._of("VmHWM") - self.before

    @staticmethod
    def _of(name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


@pytest.fixture
def program(open_board: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a visitor with an API key that permits submitting."""
    from gluepot.board.accounts.models import ApiKey
    from gluepot.board.submitting.intake import rate_limits

    monkeypatch.setattr(rate_limits, "EACH", 10_000)
    return Visitor("program", key=ApiKey.make(make_member("ann@example.org"), "x", "submit")[1])


def send(client: Any, name: str, content: bytes, **more: str) -> Any:
    file = io.BytesIO(content)
    file.name = name
    return client.post("/api/my/submissions", {"suite": "pocket", "name": "hostile", "files": file, **more})


def busy() -> float:
    """Return the factor by which time limits are extended on a busy machine."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_hostile_files_are_refused_with_their_code_within_time_and_memory_limits(program: Any) -> None:
    from gluepot.board.submitting.models import Upload

    assert len(FILES) >= 60
    client, wrong = program.client(), []
    send(client, NAME, ROW)  # loads modules before the measurement
    for title, (name, made, code) in FILES.items():
        content = made() if callable(made) else made
        began = process_time()
        with Peak() as peak:
            answer = send(client, name, content)
        spent = process_time() - began
        codes = [problem["code"] for problem in answer.json().get("problems", [])]
        if answer.status_code != 422 or code not in codes:
            wrong.append(f"{title}: {answer.status_code} {codes[:4]}, not {code}")
        if spent > SECONDS * busy() or peak.bytes > MEMORY:
            wrong.append(f"{title}: {spent:.1f} s, {peak.bytes / 2**20:.0f} MB")
    assert wrong == []
    assert not Upload.objects.exists()


def test_submitted_text_is_escaped(open_board: Path) -> None:
    client = Visitor("ann", make_member("ann@example.org")).client()
    file = io.BytesIO(row('"<img src=x onerror=alert(1)>"'))
    file.name = NAME
    page = client.post("/submit/pocket", {"name": "<script>x</script>", "files": file}).content.decode()
    assert "<img src=x" not in page
    assert "<script>x" not in page
    assert "&lt;img src=x" in page


def test_forms_with_too_many_fields_files_or_bytes_are_refused(program: Any) -> None:
    client = program.client()
    assert client.post("/api/my/submissions", {f"field-{n}": "x" for n in range(1000)}).status_code == 400
    files = []
    for number in range(300):
        files.append(io.BytesIO(ROW))
        files[-1].name = f"{number}.jsonl"
    assert client.post("/api/my/submissions", {"suite": "pocket", "name": "x", "files": files}).status_code == 400
    assert client.post("/api/my/submissions", {"suite": "pocket", "name": "x" * 2**20, "files": files[:1]}).status_code in (400, 413)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/json", "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=x", ""]
)
def test_body_with_a_wrong_content_type_is_refused(program: Any, kind: str) -> None:
    answer = program.client().generic("POST", "/api/my/submissions", b"--x\r\nPK\3\4" * 10, content_type=kind)
    assert answer.status_code in (400, 415, 422)
    assert "detail" in answer.json()


@pytest.fixture
def site(open_board: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Port of a real server for the board's pages, with timeouts of one second."""
    from django.core.wsgi import get_wsgi_application
    from django.db import connections as databases

    from gluepot.board.server import connections
    from gluepot.board.server.middleware import requests

    for module, name in ((connections, "REQUEST"), (connections, "PACE"), (connections, "LINGER"), (requests, "REQUEST")):
        monkeypatch.setattr(module, name, 1.0)
    made = connections.Site(get_wsgi_application(), "127.0.0.1", 0, threads=2)
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made.port
    made.close()
    thread.join()
    made.threads.shutdown()
    databases.close_all()


def told(port: int, request: bytes) -> bytes:
    """Return the status line of the response, empty if the connection was closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        try:
            return connection.recv(2**16).partition(b"\r\n")[0]
        except ConnectionError:
            return b""


HEAD = b"POST /api/my/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"


@pytest.mark.parametrize(
    ("title", "request_", "first"),
    [
        ("a length beyond the limit", HEAD + b"Content-Length: 99999999999\r\n\r\n", b"413"),
        ("a length that is no number", HEAD + b"Content-Length: many\r\n\r\n", b"400"),
        ("a negative length", HEAD + b"Content-Length: -5\r\n\r\n", b"400"),
        ("two lengths", HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", b"400"),
        ("pieces of no told length", HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"413"),
        ("a longer body than told", HEAD + b"Content-Length: 5\r\n\r\nhello and much more", b"401"),
        ("a shorter body than told", HEAD + b"Content-Length: 5000\r\n\r\nhello", b""),
        ("a page that takes no body", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", b"405"),
    ],
)
def test_body_with_a_wrong_length_is_refused_or_times_out(site: int, title: str, request_: bytes, first: bytes) -> None:
    answer = told(site, request_)
    assert first in answer if first else answer == b"", (title, answer)


@pytest.mark.parametrize(("path", "words"), [("/submit/pocket", "65 MB that can be sent here"), ("/da/submit/pocket", "For stort")])
def test_oversized_form_gets_an_error_page(site: int, path: str, words: str) -> None:
    request = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", site), timeout=20) as connection:
        connection.sendall(request)
        with connection.makefile("rb") as stream:
            answer = stream.read().decode()
    assert answer.startswith("HTTP/1.1 413")
    assert words in answer
