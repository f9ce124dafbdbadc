"""Votes: who said what about which item, from whichever file."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

VoteKind = Literal["main", "pilot", "control", "repeat", "training", "adjudication"]
COUNTED = ("main", "pilot", "adjudication")
"""Kinds of votes that answer a question; the others watch over the raters."""
INDEPENDENT = ("main", "pilot")
"""Those of raters who saw no other vote: agreement is theirs."""


class Vote(Struct, frozen=True, omit_defaults=True):
    """One answer of one rater, as `votes.jsonl` has it."""

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
    """What the rater saw, where the file tells it: items are found among a task's rows by it."""


@dataclass
class VoteTable:
    """The votes of some files."""

    format: str = ""
    """What the files were taken for."""
    files: list[Path] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Rows that are no votes, by the reason."""
    by_name: bool = False
    """Whether `item` is the tool's or the task's own name of an item; otherwise it stands for the inputs."""

    @property
    def counted(self) -> list[Vote]:
        """Those that answer the question."""
        return [vote for vote in self.votes if vote.kind in COUNTED]


def label_text(value: Any) -> str:
    """A value as tables and keys of JSON have it.

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
