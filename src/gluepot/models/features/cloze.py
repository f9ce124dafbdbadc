"""Features of candidate entities for a gap: their mentions in the passage, and the contexts of mentions and gap."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rapidfuzz import fuzz

from gluepot.answers import ENTITY
from gluepot.models.features.choices import Passage, beside_others, found_in, read_passage
from gluepot.models.features.likeness import TermSimilarity
from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.recipes import Recipe
from gluepot.models.features.terms import endings, stems, words
from gluepot.records import Example

GAP = "@placeholder"
FEW = 5
"""Words compared after the gap and after a mention."""


@dataclass(frozen=True)
class GapCandidate:
    """Candidate entity with its gap."""

    words: list[str]
    capital: bool
    before: list[str]
    after: list[str]
    passage: Passage
    number: int
    of: int

    @property
    def query(self) -> list[str]:
        """Query with the entity in the gap."""
        return self.before + self.words + self.after

    @cached_property
    def named_in(self) -> list[list[str]]:
        """Sentences with the entity's last word, in any grammatical case."""
        name = stems(self.words[-1:])
        return [sentence for sentence in self.passage.sentences if name and name[0] in stems(sentence)]


class ClozeRecipe(Recipe):
    """One item per distinct entity."""

    def __init__(self) -> None:
        self.likeness = TermSimilarity()

    def channels(self) -> Mapping[str, Terms]:
        return {"agreement": agreement}

    def learn(self, examples: Sequence[Example]) -> None:
        contexts = dict.fromkeys(example.inputs["context"] for example in examples)
        passages = [sentence for context in contexts for sentence in read_passage(context).sentences]
        self.likeness.fit([*passages, *(words(example.inputs["text"]) for example in examples)])

    def items(self, example: Example) -> list[GapCandidate]:
        before, _, after = example.inputs["text"].partition(GAP)
        passage, gap = read_passage(example.inputs["context"]), (words(before), words(after))
        names = entities(example)
        return [GapCandidate(words(name), name[:1].isupper(), *gap, passage, number, len(names)) for number, name in enumerate(names)]

    def lessons(self, example: Example) -> list[tuple[GapCandidate, Any]]:
        right = ENTITY.accepted(example.target)
        return [(item, name in right) for item, name in zip(self.items(example), entities(example), strict=True)]

    def numbers(self, items: Sequence[GapCandidate]) -> Floats:
        queries, nearest = [item.query for item in items], [_nearest(item) for item in items]
        passages = [item.passage.words for item in items]
        places = np.array([[*_places(item), *found_in(item.words, item.before + item.after)] for item in items])
        own = np.column_stack([self.likeness.cosines(passages, queries), self.likeness.cosines(nearest, queries), places])
        return beside_others(own, [item.number for item in items])


def entities(example: Example) -> list[str]:
    """Return the distinct entities, in passage order."""
    return list(dict.fromkeys(example.inputs["options"]))


def agreement(item: GapCandidate) -> Iterator[str]:
    """Yield the entity's endings combined with the words around the gap: prepositions govern case, verbs agree in gender."""
    last = item.words[-1] if item.words else ""
    for ending in endings(last):
        yield ending
        yield from (f"{word}_{ending}" for word in item.before[-1:])
        yield from (f"{ending}_{other}" for word in item.after[:2] for other in endings(word))


def _nearest(item: GapCandidate) -> list[str]:
    """Return the sentence mentioning the entity that shares most stems with the query."""
    wanted = set(stems(item.before + item.after))
    return max(item.named_in, key=lambda sentence: len(wanted & set(stems(sentence))), default=[])


def _places(item: GapCandidate) -> list[float]:
    """Return the frequency and position of the entity in the passage, and the similarity of the contexts of mention and gap."""
    sentences, named = item.passage.sentences, item.named_in
    first = sentences.index(named[0]) if named else len(sentences)
    around = max((fuzz.ratio(stems(item.after[:FEW]), stems(_after(item, sentence))) for sentence in named), default=0.0)
    return [
        float(np.log1p(len(named))),
        len(named) / max(1, len(sentences)),
        first / max(1, len(sentences)),
        item.number / item.of,
        float(len(item.words)),
        float(item.capital),
        float(not item.before),
        around / 100,
    ]


def _after(item: GapCandidate, sentence: list[str]) -> list[str]:
    """Return the words after the entity in a sentence mentioning it."""
    at = stems(sentence).index(stems(item.words[-1:])[0])
    return sentence[at + 1 : at + 1 + FEW]
