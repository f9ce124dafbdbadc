"""Features of text pairs: terms of both, common and differing terms, similarity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gluepot.models.features.likeness import TermSimilarity, overlaps
from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.recipes import Recipe, recurring
from gluepot.models.features.terms import beginnings, runs, stems, words
from gluepot.records import Example


@dataclass(frozen=True)
class Pair:
    """Two texts as words; `topic` is the second text if a few recur frequently."""

    left: list[str]
    right: list[str]
    topic: str = ""


class PairRecipe(Recipe):
    """One item per pair."""

    def __init__(self) -> None:
        self.likeness = TermSimilarity()
        self.topics = False

    def channels(self) -> Mapping[str, Terms]:
        if self.topics:
            return {"runs": lambda pair: runs(pair.left + pair.right), "beginnings": lambda pair: beginnings(pair.left), "crossed": crossed}
        # The terms of the first text only add noise: α on held-out pairs of an inference task falls from .28 to .20 with them.
        return {"right": lambda pair: runs(pair.right), "differing": differing}

    def learn(self, examples: Sequence[Example]) -> None:
        self.topics = recurring(example.inputs["pair"] for example in examples)
        if not self.topics:
            self.likeness.fit([words(example.inputs[side]) for example in examples for side in ("text", "pair")])

    def items(self, example: Example) -> list[Pair]:
        return [self._pair(example)]

    def numbers(self, items: Sequence[Pair]) -> Floats | None:
        if self.topics:
            return None
        cosines = self.likeness.cosines([pair.left for pair in items], [pair.right for pair in items])
        return np.column_stack([cosines, np.array([overlaps(pair.left, pair.right) for pair in items])])

    def _pair(self, example: Example) -> Pair:
        text, pair = example.inputs["text"], example.inputs["pair"]
        return Pair(words(text), words(pair), pair if self.topics else "")


def crossed(pair: Pair) -> Iterator[str]:
    """Return the terms of the text combined with the topic, since an argument for one topic is none for another."""
    return (f"{pair.topic}|{term}" for term in beginnings(pair.left))


def differing(pair: Pair) -> Iterator[str]:
    """Yield the common stems and those of only one text: a negation in the second alone is informative."""
    left, right = set(stems(pair.left)), set(stems(pair.right))
    for mark, terms in (("=", left & right), ("-", left - right), ("+", right - left)):
        yield from (f"{mark}{term}" for term in sorted(terms))
