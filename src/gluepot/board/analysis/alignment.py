"""Item-level alignment of two translations: which items one system of each language gets right."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluepot.board.drawing.heat import Candidate, Diagnostic
from gluepot.board.items.loading import SplitItems, SystemAnswers, answered, load_given, load_items
from gluepot.errors import GluepotError


@dataclass(frozen=True)
class CategoryOverlap:
    """Counts of the items of a category that both, one or neither of two systems get right."""

    name: str
    coarse: str
    fine: str
    n: int
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int


@dataclass(frozen=True)
class Difference:
    """An item on which the two translations disagree."""

    id: str
    what: str
    """`gold` or `categories`."""
    first: str
    second: str


@dataclass(frozen=True)
class Alignment:
    """Item-level comparison of two diagnostics."""

    first: str
    second: str
    """Names of the two systems."""
    first_task: str
    second_task: str
    labels: tuple[int, int]
    """Number of labels of each task, on which the chance level depends."""
    items: int
    rows: list[CategoryOverlap]
    differences: list[Difference]


def align(first: Diagnostic, ones: Sequence[Candidate], second: Diagnostic, others: Sequence[Candidate]) -> tuple[Alignment | None, str]:
    """Align the first system with predictions on each side; None and the reason if that is not possible."""
    try:
        sides = load_items(first.task, first.split), load_items(second.task, second.split)
    except GluepotError as error:
        return None, str(error)
    if not all(side.open for side in sides):  # knowing which items are right would reveal the gold answers
        return None, ""
    a, b = _given(first, ones, sides[0]), _given(second, others, sides[1])
    if a is None or b is None:
        return None, ""
    return _aligned(a, b, *sides), ""


def _given(diagnostic: Diagnostic, chosen: Sequence[Candidate], items: SplitItems) -> SystemAnswers | None:
    known = answered(diagnostic.version, diagnostic.task.name, diagnostic.split)
    slug = next((one.slug for one in chosen if one.slug in known), None)
    return load_given(known[slug], items) if slug else None


def _aligned(a: SystemAnswers, b: SystemAnswers, first: SplitItems, second: SplitItems) -> Alignment:
    pairs = [(number, second.place[e.id]) for number, e in enumerate(first.examples) if e.id in second.place]
    ours, theirs = (np.array(side, int) for side in zip(*pairs, strict=True)) if pairs else (np.empty(0, int),) * 2
    right, other = a.right[ours], b.right[theirs]
    rows = []
    for name, fits in first.tags.items():
        inside = fits[ours]
        x, y = right[inside], other[inside]
        counts = (int((x & y).sum()), int((x & ~y).sum()), int((~x & y).sum()), int((~x & ~y).sum()))
        rows.append(CategoryOverlap(name, *name.partition("/")[::2], len(x), *counts))
    labels = len(first.labels), len(second.labels)
    return Alignment(a.name, b.name, first.task.title, second.task.title, labels, len(pairs), rows, differences(first, second, pairs))


def differences(first: SplitItems, second: SplitItems, pairs: Sequence[tuple[int, int]]) -> list[Difference]:
    """Return the items with different categories, or whose gold label differs from its usual counterpart in the other translation."""
    counts: dict[str, Counter[str]] = {}
    for x, y in pairs:
        counts.setdefault(first.gold[x], Counter())[second.gold[y]] += 1
    usual = {label: found.most_common(1)[0][0] for label, found in counts.items()}
    found = []
    for x, y in pairs:
        one, other = first.examples[x], second.examples[y]
        if usual[first.gold[x]] != second.gold[y]:
            found.append(Difference(one.id, "gold", first.gold[x], second.gold[y]))
        if set(one.tags) != set(other.tags):
            apart = (", ".join(sorted(set(a.tags) - set(b.tags))) for a, b in ((one, other), (other, one)))
            found.append(Difference(one.id, "categories", *apart))
    return found
