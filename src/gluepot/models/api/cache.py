"""Answers on disk by what was asked: a file that only grows, one line an answer, each written at once."""

from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from gluepot.models.caches import cache_root


class Answered(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came back, with the tokens that were paid for."""

    key: str
    text: str
    tokens: int = 0
    written: int = 0
    firsts: dict[str, float] | None = None
    """Log-probabilities of the likeliest first tokens, where the server tells them."""
    likelihoods: list[float] | None = None
    """Log-likelihoods of the options, where the server repeats prompts."""


def key_of(url: str, body: dict[str, Any]) -> str:
    """Place, model, prompt and parameters; nothing of who asks."""
    return sha256(msgspec.json.encode([url, sorted(body.items())])).hexdigest()


def cache_folder() -> Path:
    return cache_root() / "answers"


class AnswerCache:
    """The answers of one model at one place."""

    def __init__(self, url: str, model: str, folder: Path | None = None) -> None:
        safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in model)[-60:]
        self.path = (folder or cache_folder()) / f"{safe}-{sha256(f'{url} {model}'.encode()).hexdigest()[:12]}.jsonl"
        self.lock = Lock()
        self.known: dict[str, Answered] = {}
        if self.path.is_file():
            self._read()

    def _read(self) -> None:
        """Whole lines only: a kill may have left half of one."""
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            with self.path.open("r+b") as stream:
                stream.truncate(whole)
        for row in msgspec.json.Decoder(Answered).decode_lines(data[:whole]):
            self.known[row.key] = row

    def get(self, key: str) -> Answered | None:
        return self.known.get(key)

    def add(self, answer: Answered) -> None:
        """One write that goes to the end of the file, whoever else writes there."""
        line = msgspec.json.encode(answer) + b"\n"
        with self.lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as stream:
                stream.write(line)
            self.known[answer.key] = answer
