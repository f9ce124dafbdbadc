"""Answers on disk by what was asked: a file that only grows, one line an answer, each written at once."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from gluepot.files import append_whole, locked
from gluepot.masking import mask_secrets
from gluepot.models.caches import cache_root
from gluepot.notices import tell
from gluepot.plurals import pluralize

BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for what is no JSON, or JSON of another shape."""


class ApiAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came back, with the tokens that were paid for."""

    key: str
    text: str
    tokens: int = 0
    written: int = 0
    firsts: dict[str, float] | None = None
    """Log-probabilities of the likeliest first tokens, where the server tells them."""
    likelihoods: list[float] | None = None
    """Log-likelihoods of the options, where the server repeats prompts."""
    thinking: bool = False
    """Whether it was still thinking when its tokens ran out."""


_DECODER = msgspec.json.Decoder(ApiAnswer)


def key_of(url: str, body: dict[str, Any]) -> str:
    """Place, model, prompt and parameters; nothing of who asks."""
    return sha256(msgspec.json.encode([url, sorted(body.items())])).hexdigest()


def cache_folder() -> Path:
    return cache_root() / "answers"


class AnswerCache:
    """The answers of one model at one place."""

    def __init__(self, url: str, model: str, folder: Path | None = None) -> None:
        safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in mask_secrets(model))[-60:]
        self.path = (folder or cache_folder()) / f"{safe}-{sha256(f'{url} {model}'.encode()).hexdigest()[:12]}.jsonl"
        self.lock = Lock()
        self.known: dict[str, ApiAnswer] = {}
        if self.path.is_file():
            self._read()

    def _read(self) -> None:
        """Every whole line that is an answer: half of the last one may be left by a kill, and a bad disk may spoil any."""
        try:
            with self.path.open("r+b") as stream, locked(stream):
                data = stream.read()
                whole = data.rfind(b"\n") + 1
                if whole != len(data):
                    stream.truncate(whole)
                rows, broken = _sound(data[:whole])
                for start, end in broken:  # blanked out in its place: other processes may hold the file open
                    stream.seek(start)
                    stream.write(b" " * (end - start))
        except PermissionError:
            rows, broken = _sound(self.path.read_bytes())
        if broken:
            lines = pluralize(len(broken), "line")
            tell(f"{self.path}: {lines} of kept answers cannot be read; they are dropped and asked for again.")
        self.known = {row.key: row for row in rows}

    def get(self, key: str) -> ApiAnswer | None:
        return self.known.get(key)

    def add(self, answer: ApiAnswer) -> None:
        """One write that goes to the end of the file, whoever else writes there."""
        with self.lock:
            append_whole(self.path, msgspec.json.encode(answer) + b"\n")
            self.known[answer.key] = answer


def _sound(data: bytes) -> tuple[list[ApiAnswer], list[tuple[int, int]]]:
    """The lines that are answers, and from where to where the others lie."""
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
