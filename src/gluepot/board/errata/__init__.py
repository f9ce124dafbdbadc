"""Errata: published figures and claims that cannot be right, each recomputed from what is here; one module or package a suite."""

from collections.abc import Callable

from gluepot.board.errata import basque, scandeval, supersim
from gluepot.board.errata.claims import Claim
from gluepot.board.errata.russian import files as russian_files
from gluepot.board.errata.russian import leaderboard
from gluepot.board.errata.superlim import files, tables

__all__ = ["Claim", "claims", "claims_about"]

MAKERS: dict[Callable[[], Claim], tuple[str, ...]] = {
    files.argumentation: ("superlim/argumentation-sentences",),
    files.diagnostics: ("superlim/swediagnostics",),
    files.analogies: ("superlim/sweanalogy",),
    tables.parity: ("superlim/swewinogender",),
    tables.size: ("superlim/swediagnostics",),
    tables.faq: ("superlim/swefaq",),
    tables.candidates: ("superlim/swefaq",),
    tables.misprints: ("superlim/swenli",),
    files.sizes: ("superlim/swefaq", "superlim/swediagnostics", "superlim/swenli"),
    tables.checked: (),
    russian_files.known_texts: ("russian-superglue/TERRa", "russian-superglue/DaNetQA", "russian-superglue/RCB"),
    russian_files.russe: ("russian-superglue/RUSSE",),
    russian_files.features: ("russian-superglue/LiDiRus",),
    leaderboard.human: (),
    leaderboard.human_scores: ("russian-superglue/RCB", "russian-superglue/RUSSE"),
    leaderboard.timings: (),
    russian_files.sizes: tuple(f"russian-superglue/{name}" for name in ("RUSSE", "MuSeRC", "DaNetQA", "RuCoS")),
    basque.sentences: ("basqueglue/wic",),
    basque.copies: ("basqueglue/intent", "basqueglue/bhtc", "basqueglue/vaxx"),
    basque.annotation: ("basqueglue/slot", "basqueglue/coref"),
    basque.sizes: ("basqueglue/nerc_id", "basqueglue/nerc_od", "basqueglue/slot"),
    scandeval.entities: ("scandeval-da/dane", "scandeval-da/dansk"),
    scandeval.intervals: (),
    scandeval.duplicates: ("scandeval-da/scandiqa-da",),
    scandeval.rouge: ("scandeval-da/nordjylland-news",),
    supersim.percentages: (),
    supersim.quotation: (),
    supersim.vocabulary_size: ("supersim/similarity", "supersim/relatedness"),
    supersim.scale: ("supersim/relatedness", "superlim/supersim-superlim-relatedness"),
}
"""Each with the tasks that it concerns."""


def claims() -> list[Claim]:
    """All of them."""
    return [make() for make in MAKERS]


def claims_about(suite: str, task: str) -> list[Claim]:
    """Those that concern a task."""
    return [make() for make, tasks in MAKERS.items() if f"{suite}/{task}" in tasks]
