"""Confusion matrices of systems on a split."""

from collections import Counter
from dataclasses import dataclass

from gluepot.board.items.loading import SplitItems, SystemAnswers
from gluepot.metrics import INVALID

MOST = 15
"""Maximum number of labels with a row of their own."""
OTHER = "…"


@dataclass(frozen=True)
class ConfusionMatrix:
    """Confusion matrix of one system: one row per gold label, one column per predicted label."""

    system: str
    slug: str
    labels: list[str]
    """Labels of rows and columns; all others are merged into `…`."""
    counts: list[list[int]]
    invalid: int
    """Number of answers that are invalid or missing."""


def confusion(items: SplitItems, given: SystemAnswers) -> ConfusionMatrix | None:
    """Return the confusion matrix if answers are labels or one of a few options, otherwise None."""
    if not items.answer.categorical or (len(items.labels) > 8 and not items.answer.classes(items.task)):
        return None
    pairs = Counter(zip(items.gold, given.said, strict=True))
    often = Counter(gold for gold in items.gold)
    known = [label for label, _ in items.labels]
    said = [label for label in dict.fromkeys(given.said) if label not in known and label not in ("", INVALID)]
    labels = [*known, *sorted(said)]
    kept = labels if len(labels) <= MOST else [label for label in labels if label in dict(often.most_common(MOST))]
    shown = [*kept, *([OTHER] if len(kept) < len(labels) else [])]
    counted: Counter[tuple[str, str]] = Counter()
    for (gold, answer), count in pairs.items():
        if answer not in ("", INVALID):
            counted[gold if gold in kept else OTHER, answer if answer in kept else OTHER] += count
    counts = [[counted[gold, answer] for answer in shown] for gold in shown]
    return ConfusionMatrix(given.name, given.slug, shown, counts, len(items.gold) - sum(map(sum, counts)))
