"""Drafts of imported entries with all their rows, complete before the database is touched, and the report of an import."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from gluepot.board.models import Measurement, Score, Stated
from gluepot.masking import mask_secrets
from gluepot.records import Problem, Suite
from gluepot.tasks.systems import SystemInfo

Basis = Literal["given", "declared", "told", "guessed"]
"""Origin of a system's name: given by the user, declared, stated by the system's own files, or guessed from a file or folder name."""
UNCONFIRMED = "stated by the submitter, not confirmed"


@dataclass
class DraftAnswers:
    """Answers to one split, with the merit of each."""

    task: str
    split: str
    seed: int
    data: bytes
    merits: bytes


@dataclass
class Draft:
    """Draft of an entry; its scores and measurements are complete rows except for the entry."""

    suite: Suite
    system: SystemInfo
    kind: str
    source: str
    digest: str
    basis: Basis = "told"
    identity: dict[str, Any] = field(default_factory=dict)
    """Identity of the system, where more than a name is known."""
    owner: str = ""
    """User who imports it."""
    place: Path | None = None
    """Folder it was read from, where several were read together."""
    card: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)
    files: list[DraftAnswers] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)


class Change(Struct, frozen=True):
    """Number on the board that an import changes or would change."""

    system: str
    suite: str
    task: str
    split: str
    metric: str
    """Metric, or measured quantity."""
    slice: str
    old: float
    new: float | None
    """None where it would no longer be shown."""
    old_source: str
    source: str
    replaced: bool
    """Whether it was changed; otherwise the whole entry was refused."""
    intervals: tuple[tuple[float, float] | None, tuple[float, float] | None] | None = None
    """Old and new interval, where only these differ."""

    def __str__(self) -> str:
        place = " ".join(word for word in (self.task, self.split, self.metric, self.slice and f"[{self.slice}]") if word)
        old, new = _told_apart(self.old, self.new)
        if self.intervals:
            old, new = (f"{self.old:.3f} in {_ends(one)}" for one in self.intervals)
        return f"{place}: {old} ({self.old_source}) → {new}"


class ImportedEntry(Struct, frozen=True):
    """Outcome of one entry."""

    kind: str
    system: str
    suite: str
    source: str
    state: str
    """`imported` or `already there`."""
    verified: int
    reported: int
    measured: int
    seconds: float
    replaced: int = 0
    """Number of values of earlier imports that it changed."""


class FileAccount(Struct, frozen=True):
    """Outcome of one file below the imported paths."""

    file: str
    state: str
    """`imported`, `already there`, `refused` or `not recognised`."""
    problem: str = ""
    """First problem with the file."""
    hint: str = ""


class ImportReport(Struct):
    """Outcome of an import."""

    lines: list[ImportedEntry] = []
    problems: list[Problem] = []
    changes: list[Change] = []
    notices: list[str] = []
    files: list[FileAccount] = []
    """Outcome of every file below the paths."""

    @property
    def imported(self) -> list[ImportedEntry]:
        return [line for line in self.lines if line.state == "imported"]


def digest_of(*parts: Any) -> str:
    """Return a hash that identifies exactly this content.

    >>> digest_of("a", {"b": 1, "c": 2}) == digest_of("a", {"c": 2, "b": 1})
    True
    """
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def clean(value: Any) -> Any:
    """Mask secrets in untrusted content and drop characters that PostgreSQL cannot store.

    >>> clean({"a\\0": ["b\\0", 1]})
    {'a': ['b', 1]}
    """
    if isinstance(value, str):
        return mask_secrets(value.replace("\0", "").encode("utf-8", "replace").decode())
    if isinstance(value, dict):
        return {clean(key): clean(one) for key, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, list | tuple) else value


def _ends(interval: tuple[float, float] | None) -> str:
    return "no interval" if interval is None else "–".join(f"{end:.4f}" for end in interval)


def _told_apart(old: float, new: float | None) -> tuple[str, str]:
    """Format two numbers with as many digits as needed to tell them apart.

    >>> _told_apart(0.5, 0.61), _told_apart(0.50001, 0.50002), _told_apart(0.5, None)
    (('0.500', '0.610'), ('0.50001', '0.50002'), ('0.500', 'not shown'))
    """
    if new is None:
        return f"{old:.3f}", "not shown"
    for digits in range(3, 17):
        if f"{old:.{digits}f}" != f"{new:.{digits}f}":
            break
    return f"{old:.{digits}f}", f"{new:.{digits}f}"
