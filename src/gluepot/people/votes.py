"""Votes of raters on items, read from files of any format."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

VoteKind = Literal["main", "pilot", "control", "repeat", "training", "adjudication"]
COUNTED = ("main", "pilot", "adjudication")
"""Kinds of votes that answer the question; the others monitor the raters."""
INDEPENDENT = ("main", "pilot")
"""Kinds of votes given without seeing others; agreement is measured on these."""


class Vote(Struct, frozen=True, omit_defaults=True):
    """One answer of one rater, as in `votes.jsonl`."""

    item: str
    rater: str
    value: Any
    at: str | None = None
    seconds: float | None = None
    round: str | None = None
    kind: VoteKind = "main"
    question: str = ""
    comment: str = ""
    inputs: dict[str, str] = {}
    """What the rater saw, if the file contains it; used to find items among a task's rows."""


@dataclass
class VoteTable:
    """Votes of some files."""

    format: str = ""
    """Detected format of the files."""
    files: list[Path] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of rows that are not votes, by reason."""
    by_name: bool = False
    """Whether `item` is an id of the tool or task; otherwise it is derived from the inputs."""

    @property
    def counted(self) -> list[Vote]:
        """Votes that answer the question."""
        return [vote for vote in self.votes if vote.kind in COUNTED]


def label_text(value: Any) -> str:
    """Return a value as text for tables and JSON keys.

    >>> label_text(True), label_text(3.0), label_text(("B-PER", "O"))
    ('true', '3', 'B-PER O')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | tuple | set | frozenset):
        return " ".join(map(label_text, sorted(value) if isinstance(value, set | frozenset) else value))
    return str(value)
