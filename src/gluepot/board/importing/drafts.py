"""What an import will store: one entry with everything that hangs on it, complete before the database is touched."""

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
"""Why a system is called so: somebody named it now; everybody calls it so; it says so itself; a file or folder is called so."""
UNCONFIRMED = "stated by the submitter, not confirmed"


@dataclass
class DraftAnswers:
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
    system: SystemInfo
    kind: str
    source: str
    digest: str
    basis: Basis = "told"
    identity: dict[str, Any] = field(default_factory=dict)
    """What the system is, where more than a name is known."""
    owner: str = ""
    """Who brings it."""
    place: Path | None = None
    """The folder that it was read from, where several were read together."""
    card: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)
    files: list[DraftAnswers] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)


class Change(Struct, frozen=True):
    """A number on the board that an import changes, or would change."""

    system: str
    suite: str
    task: str
    split: str
    metric: str
    """Or the quantity that was measured."""
    slice: str
    old: float
    new: float | None
    """Null where it would no longer be shown."""
    old_source: str
    source: str
    replaced: bool
    """Whether it was changed; otherwise nothing of its system was."""
    intervals: tuple[tuple[float, float] | None, tuple[float, float] | None] | None = None
    """The old interval and the new one, where these alone are others."""

    def __str__(self) -> str:
        place = " ".join(word for word in (self.task, self.split, self.metric, self.slice and f"[{self.slice}]") if word)
        old, new = _told_apart(self.old, self.new)
        if self.intervals:
            old, new = (f"{self.old:.3f} in {_ends(one)}" for one in self.intervals)
        return f"{place}: {old} ({self.old_source}) → {new}"


class ImportedEntry(Struct, frozen=True):
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
    replaced: int = 0
    """Numbers of earlier imports that it changed."""


class FileAccount(Struct, frozen=True):
    """One file below a path, and what became of it."""

    file: str
    state: str
    """imported, already there, refused, or not recognised."""
    problem: str = ""
    """The first thing that is wrong with it."""
    hint: str = ""


class ImportReport(Struct):
    """What became of an import."""

    lines: list[ImportedEntry] = []
    problems: list[Problem] = []
    changes: list[Change] = []
    notices: list[str] = []
    files: list[FileAccount] = []
    """Every file below the paths, and what became of it."""

    @property
    def imported(self) -> list[ImportedEntry]:
        return [line for line in self.lines if line.state == "imported"]


def digest_of(*parts: Any) -> str:
    """A name for exactly this content.

    >>> digest_of("a", {"b": 1, "c": 2}) == digest_of("a", {"c": 2, "b": 1})
    True
    """
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def clean(value: Any) -> Any:
    """What a stranger wrote without keys and without the characters that PostgreSQL does not keep.

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
    """Two numbers with as many digits as it takes to see that they differ.

    >>> _told_apart(0.5, 0.61), _told_apart(0.50001, 0.50002), _told_apart(0.5, None)
    (('0.500', '0.610'), ('0.50001', '0.50002'), ('0.500', 'not shown'))
    """
    if new is None:
        return f"{old:.3f}", "not shown"
    for digits in range(3, 17):
        if f"{old:.{digits}f}" != f"{new:.{digits}f}":
            break
    return f"{old:.{digits}f}", f"{new:.{digits}f}"
