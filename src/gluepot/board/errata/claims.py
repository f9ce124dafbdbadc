"""What a claim about a published figure is made of."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ErratumFigure:
    """One figure: as it was printed, and as it comes out."""

    what: str
    printed: float | None
    computed: float | None
    note: str = ""


@dataclass(frozen=True)
class Erratum:
    """One error, explained and recomputed."""

    key: str
    title: str
    text: str
    source: str
    """Where it was printed."""
    suite: str
    printed: str
    """What the printed numbers are called."""
    computed: str
    """What the recomputed numbers are called."""
    digits: int
    lines: list[ErratumFigure] = field(default_factory=list)
    missing: str = ""
    """What is not on this board, so that nothing, or not all, can be recomputed."""
