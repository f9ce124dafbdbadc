"""Data structures of errata."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ErratumFigure:
    """Figure as printed and as recomputed."""

    what: str
    printed: float | None
    computed: float | None
    note: str = ""


@dataclass(frozen=True)
class Erratum:
    """Published error, explained and recomputed."""

    key: str
    title: str
    text: str
    source: str
    """Publication that contains it."""
    suite: str
    printed: str
    """Label of the printed numbers."""
    computed: str
    """Label of the recomputed numbers."""
    digits: int
    lines: list[ErratumFigure] = field(default_factory=list)
    missing: str = ""
    """Message about data missing on this board, because of which some or all figures cannot be recomputed."""
