"""Published figures that cannot be right, each recomputed from what is on the board: one module a suite."""

from collections.abc import Callable

from gluepot.board.truth import russian, scandeval, superlim
from gluepot.board.truth.claims import Claim

__all__ = ["Claim", "claims", "claims_about"]

MAKERS: dict[Callable[[], Claim], tuple[str, ...]] = {
    superlim.parity: ("superlim/swewinogender",),
    superlim.size: ("superlim/swediagnostics",),
    superlim.faq: ("superlim/swefaq",),
    superlim.candidates: ("superlim/swefaq",),
    superlim.misprints: ("superlim/swenli",),
    superlim.checked: (),
    russian.human: (),
    russian.timings: (),
    scandeval.entities: ("scandeval-da/dane", "scandeval-da/dansk"),
    scandeval.intervals: (),
    scandeval.duplicates: ("scandeval-da/scandiqa-da",),
    scandeval.rouge: ("scandeval-da/nordjylland-news",),
}
"""Each with the tasks that it concerns."""


def claims() -> list[Claim]:
    """All of them."""
    return [make() for make in MAKERS]


def claims_about(suite: str, task: str) -> list[Claim]:
    """Those that concern a task."""
    return [make() for make, tasks in MAKERS.items() if f"{suite}/{task}" in tasks]
