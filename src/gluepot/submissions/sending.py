"""Client that sends predictions to a board by its API: packed, with a key that goes to that board alone."""

import io
import zipfile
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep
from typing import Any, TypeVar
from urllib.parse import SplitResult, quote, urlsplit

from msgspec import Struct, ValidationError, convert

from gluepot.errors import GluepotError, WrongUse
from gluepot.records import Problem
from gluepot.strict_json import InvalidLineError, decode_strictly
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.problems import Problems

LOCAL = ("localhost", "127.0.0.1", "::1")
MOST = 64 * 2**20
ANSWER = 2**22
"""Maximum bytes of a response that are read."""
LONGEST = 900.0
"""Maximum seconds to wait for a score."""
PATIENCE = 120.0
"""Timeout in seconds for one response, from its first byte to its last."""
REDIRECTS = range(300, 400)
ResponseT = TypeVar("ResponseT", bound=Struct)
DONE = ("scored", "failed", "draft", "proposed", "refused", "withdrawn", "review", "published", "rejected", "publishing")


class ReportedTaskScore(Struct, frozen=True):
    """A task's score, as a board reports it."""

    title: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str = ""
    repeated: bool = False


class ReportedScore(Struct, frozen=True):
    """A submission's score, as a board reports it."""

    tasks: list[ReportedTaskScore]
    overall: float | None = None
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    of: int = 0


class SentSubmission(Struct, frozen=True):
    """A submission, as a board reports it."""

    key: str
    name: str
    state: str
    page: str
    reason: str = ""
    score: ReportedScore | None = None


class Refusal(Struct, frozen=True):
    """A board's refusal of a submission, with the reason."""

    detail: str = ""
    next: str | None = None
    problems: list[Problem] = []


@dataclass(frozen=True)
class BoardAnswer:
    """A board's response."""

    address: str
    status: int
    document: dict[str, Any]

    @property
    def submission(self) -> SentSubmission:
        return self._read(SentSubmission)

    @property
    def refusal(self) -> Refusal:
        return self._read(Refusal)

    def _read(self, kind: type[ResponseT]) -> ResponseT:
        """Validate an untrusted response; raise GluepotError if anything is missing or of another type."""
        try:
            return convert(self.document, kind)
        except ValidationError as error:
            raise GluepotError(f"{self.address} does not answer as a board does ({error}). Is it one?") from error


def pack(path: Path) -> tuple[str, bytes]:
    """Return a file's name and bytes; a folder is packed as a zip."""
    if path.is_file():
        name, data = path.name, path.read_bytes()
    else:
        packed = io.BytesIO()
        with open_bundle(path, Problems()) as bundle, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry in bundle.entries:
                with entry.open() as stream:
                    archive.writestr(entry.name, stream.read())
        name, data = f"{path.resolve().name}.zip", packed.getvalue()
    if len(data) > MOST:
        raise WrongUse(f"{path}: {len(data) / 2**20:.0f} MB, and a board takes {MOST // 2**20}. Send the predictions alone, as a zip.")
    return name, data


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        return parts if parts.port != 0 else None
    except ValueError:  # a port that is not a number, half a bracket
        return None


class RemoteBoard:
    """A remote board, with the key for it."""

    def __init__(self, address: str, key: str) -> None:
        parts = _parts(address)
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            raise WrongUse(f"--to {address}: the address of a board is needed, such as https://board.example.org.")
        if not (key.isascii() and key.isprintable()):
            raise WrongUse("the key has characters that no key has. Copy it once more, without the end of the line.")
        if parts.scheme == "http" and parts.hostname not in LOCAL:
            raise WrongUse(f"--to {address}: without https, everybody on the way could read your key.")
        self.address, self.key, self.parts = f"{parts.scheme}://{parts.netloc}", key, parts

    def submit(self, fields: dict[str, str], name: str, data: bytes) -> BoardAnswer:
        return self._send("/api/my/submissions", fields, name, data)

    def submit_program(self, fields: dict[str, str], name: str, data: bytes) -> BoardAnswer:
        """Submit a program, with its files as a zip or without any."""
        return self._send("/api/my/programs", fields, name, data)

    def _send(self, path: str, fields: dict[str, str], name: str, data: bytes) -> BoardAnswer:
        border = token_hex(16)
        lines = [f'--{border}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n' for field, value in fields.items()]
        safe = name.replace('"', "'").replace("\r", " ").replace("\n", " ")
        head = f'--{border}\r\nContent-Disposition: form-data; name="files"; filename="{safe}"\r\nContent-Type: application/zip\r\n\r\n'
        file = head.encode(errors="replace") + data + b"\r\n" if data else b""
        body = "".join(lines).encode(errors="replace") + file + f"--{border}--\r\n".encode()
        return self._ask("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={border}"})

    def wait(self, key: str) -> BoardAnswer:
        """Return the submission once it is scored, or in its state after a quarter of an hour."""
        began, pause = monotonic(), 0.3
        while True:
            answer = self._ask("GET", f"/api/my/submissions/{quote(key, safe='', errors='replace')}")
            if answer.status != 200:
                raise GluepotError(answer.refusal.detail or f"the board answers with {answer.status}.")
            if answer.submission.state in DONE or monotonic() - began > LONGEST:
                return answer
            sleep(pause)
            pause = min(1.5 * pause, 5.0)

    def _ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> BoardAnswer:
        """Send one request; redirects are not followed, so that the key goes nowhere else."""
        kind = HTTPSConnection if self.parts.scheme == "https" else HTTPConnection
        connection = kind(self.parts.hostname or "", self.parts.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {self.key}", "Accept": "application/json", **(headers or {})})
            answer = connection.getresponse()
            text = _read_bounded(answer)
        except (OSError, HTTPException) as error:
            raise GluepotError(f"{self.address} does not answer: {error}.") from error
        finally:
            connection.close()
        if answer.status in REDIRECTS:
            raise GluepotError(
                f"{self.address} sends elsewhere ({answer.headers.get('Location')}): give that address to --to, if you trust it."
            )
        if answer.status == 401:
            raise GluepotError("the board does not know this key, or it was revoked or has expired. Make another one under Account.")
        return BoardAnswer(self.address, answer.status, _read_document(text))


def _read_bounded(answer: HTTPResponse) -> bytes:
    """Read a body up to a size and within a time, however slowly it arrives."""
    began, text = monotonic(), b""
    while piece := answer.read1(2**16):
        text += piece
        if len(text) > ANSWER:
            raise HTTPException("the answer does not end")
        if _too_slow(began):
            raise HTTPException("the answer comes too slowly")
    return text


def _too_slow(began: float) -> bool:
    return monotonic() - began > PATIENCE


def _read_document(text: bytes) -> dict[str, Any]:
    """Decode a response; empty if it is not JSON, such as an error page of a proxy."""
    try:
        return decode_strictly(text)
    except InvalidLineError:
        return {}
