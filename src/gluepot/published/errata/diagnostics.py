"""Row-wise comparison of SweDiagnostics and LiDiRus: translations of the same English items, whose labels and tags must agree."""

from collections.abc import Iterable
from dataclasses import dataclass

from gluepot.board.errata.counting import Records, counted

FIELDS = {
    "lexical_semantics": "lexical-semantics",
    "predicate_argument_structure": "predicate-argument-structure",
    "logic": "logic",
    "knowledge": "knowledge",
}
"""Superlim's names of the four kinds of tags, and those of Russian SuperGLUE."""


@dataclass(frozen=True)
class RowDifference:
    """A row whose labels or tags differ."""

    id: str
    swedish: str
    russian: str
    label: str
    twin: str
    """Label of the Russian row."""
    lost: str = ""
    """Tags of the Swedish row only."""
    added: str = ""
    """Tags of the Russian row only."""


@counted("superlim/swediagnostics/test", "russian-superglue/LiDiRus/test")
def differing_rows(swedish: Records, russian: Records) -> tuple[int, list[RowDifference], list[RowDifference]]:
    """Return the number of rows, the rows whose labels differ, and those whose tags differ."""
    labels, tags = [], []
    for ours, theirs in zip(swedish, russian, strict=False):
        here, there = _tags(ours["meta"], FIELDS), _tags(theirs, FIELDS.values())
        row = RowDifference(
            str(ours["id"]),
            f"“{ours['premise']}” – “{ours['hypothesis']}”",
            f"«{theirs['sentence1']}» – «{theirs['sentence2']}»",
            ours["label"],
            theirs["label"],
            ", ".join(sorted(here - there)),
            ", ".join(sorted(there - here)),
        )
        labels += [row] if (ours["label"] == "entailment") != (theirs["label"] == "entailment") else []
        tags += [row] if here != there else []
    return len(swedish), labels, tags


def _tags(record: dict[str, str], fields: Iterable[str]) -> set[str]:
    return {tag.strip() for field in fields for tag in record.get(field, "").split(";") if tag.strip()}
