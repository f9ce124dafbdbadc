"""On-disk cache of answers by request: an append-only file with one line per answer, written immediately."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from gluepot.files import append_atomically, locked
from gluepot.masking import mask_secrets
from gluepot.models.caches import cache_root
from gluepot.notices import notify
from gluepot.plurals import pluralize

BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Exceptions of msgspec for invalid JSON, or JSON of another schema."""


class ApiAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cached answer with the tokens that were paid for."""

    key: str
    text: str
    tokens: int = 0
    written: int = 0
    firsts: dict[str, float] | None = None
    """Log-probabilities of the likeliest first tokens, where the server returns them."""
    likelihoods: list[float] | None = None
    """Log-likelihoods of the options, where the server echoes prompts."""
    thinking: bool = False
    """Whether the model was still reasoning when its tokens ran out."""


_DECODER = msgspec.json.Decoder(ApiAnswer)


def key_of(url: str, body: dict[str, Any]) -> str:
    """Hash the endpoint, model, prompt and parameters into a cache key, which is independent of the user."""
    return sha256(msgspec.json.encode([url, sorted(body.items())])).hexdigest()


def cache_folder() -> Path:
    return cache_root() / "answers"


class AnswerCache:
    """Cached answers of one model at one address."""

    def __init__(self, url: str, model: str, folder: Path | None = None) -> None:
        safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in mask_secrets(model))[-60:]
        self.path = (folder or cache_folder()) / f"{safe}-{sha256(f'{url} {model}'.encode()).hexdigest()[:12]}.jsonl"
        self.lock = Lock()
        self.known: dict[str, ApiAnswer] = {}
        if self.path.is_file():
            self._read()

    def _read(self) -> None:
        """Read every valid line: a kill may leave half of the last one, and a bad disk may corrupt any."""
        try:
            with self.path.open("r+b") as stream, locked(stream):
                data = stream.read()
                whole = data.rfind(b"\n") + 1
                if whole != len(data):
                    stream.truncate(whole)
                rows, broken = _sound(data[:whole])
                for start, end in broken:  # overwritten with spaces in place: other processes may have the file open
                    stream.seek(start)
                    stream.write(b" " * (end - start))
        except PermissionError:
            rows, broken = _sound(self.path.read_bytes())
        if broken:
            lines = pluralize(len(broken), "line")
            notify(f"{self.path}: {lines} of kept answers cannot be read; they are dropped and asked for again.")
        self.known = {row.key: row for row in rows}

    def get(self, key: str) -> ApiAnswer | None:
        return self.known.get(key)

    def add(self, answer: ApiAnswer) -> None:
        """Append a whole answer, safe beside other writers."""
        with self.lock:
            append_atomically(self.path, msgspec.json.encode(answer) + b"\n")
            self.known[answer.key] = answer


def _sound(data: bytes) -> tuple[list[ApiAnswer], list[tuple[int, int]]]:
    """Return the valid answers, and the start and end offsets of invalid lines."""
    with suppress(*BROKEN):
        return _DECODER.decode_lines(data), []
    rows, broken, start = [], [], 0
    for line in data.splitlines(keepends=True):
        end = start + len(line.rstrip(b"\r\n"))
        try:
            rows += [_DECODER.decode(line)] if line.strip() else []
        except BROKEN:
            broken.append((start, end))
        start += len(line)
    return rows, broken
