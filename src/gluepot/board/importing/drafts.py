"""What an import will store: one entry with everything that hangs on it, complete before the database is touched."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from gluepot.board.models import Measurement, Score, Stated
from gluepot.records import Problem, Suite
from gluepot.tasks.systems import System

UNCONFIRMED = "stated by the submitter, not confirmed"


@dataclass
class File:
    """The answers to one split, and how good each of them is."""

    task: str
    split: str
    seed: int
    data: bytes
    merits: bytes


@dataclass
class Draft:
    """One entry. Its scores and measurements are rows that only lack the entry."""

    suite: Suite
    system: System
    kind: str
    source: str
    digest: str
    card: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)


class Line(Struct, frozen=True):
    """What became of one entry."""

    kind: str
    system: str
    suite: str
    source: str
    state: str
    """`imported`, or `already there`."""
    verified: int
    reported: int
    measured: int
    seconds: float


class Report(Struct):
    """What became of an import."""

    lines: list[Line] = []
    problems: list[Problem] = []
    notices: list[str] = []

    @property
    def imported(self) -> list[Line]:
        return [line for line in self.lines if line.state == "imported"]


def digest_of(*parts: Any) -> str:
    """A name for exactly this content.

    >>> digest_of("a", {"b": 1, "c": 2}) == digest_of("a", {"c": 2, "b": 1})
    True
    """
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def clean(value: Any) -> Any:
    """What a stranger wrote without the characters that PostgreSQL does not keep.

    >>> clean({"a\\0": ["b\\0", 1]})
    {'a': ['b', 1]}
    """
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {clean(key): clean(one) for key, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, list | tuple) else value
