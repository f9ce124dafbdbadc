"""Features of words: one word in two contexts, or two words without context."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from gluepot.models.features.likeness import TermSimilarity
from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.recipes import Recipe, recurring
from gluepot.models.features.terms import endings, stems, words
from gluepot.records import Example

WINDOWS = (100, 5, 2)
"""Window sizes in words on either side."""


@dataclass(frozen=True)
class Use:
    """Occurrence of a word: the words before it, its form, the words after it."""

    before: list[str]
    form: str
    after: list[str]

    def around(self, size: int) -> list[str]:
        return self.before[-size:] + self.after[:size]


@dataclass(frozen=True)
class Uses:
    """Two occurrences of one word."""

    word: str
    first: Use
    second: Use

    @property
    def both(self) -> tuple[Use, Use]:
        return self.first, self.second


class WordInContextRecipe(Recipe):
    """One item per pair of uses of a word: similarity and words of their contexts."""

    def __init__(self) -> None:
        self.likeness = TermSimilarity()
        self.known = False
        """Whether words recur, so that each can have terms of its own."""

    def channels(self) -> Mapping[str, Terms]:
        # Unseen words do better without: a word-in-context task's α over held-out words falls from .22 to .19 with `forms`.
        return {"shared": shared, "near": near, "forms": forms, "crossed": crossed} if self.known else {"shared": shared}

    def learn(self, examples: Sequence[Example]) -> None:
        uses = [self._uses(example) for example in examples]
        self.known = recurring(pair.word for pair in uses)
        self.likeness.fit([use.around(max(WINDOWS)) for pair in uses for use in pair.both])

    def items(self, example: Example) -> list[Uses]:
        return [self._uses(example)]

    def numbers(self, items: Sequence[Uses]) -> Floats:
        cosines = [
            self.likeness.cosines([pair.first.around(size) for pair in items], [pair.second.around(size) for pair in items])
            for size in WINDOWS
        ]
        return np.column_stack([*cosines, np.array([_agreements(pair) for pair in items])])

    def _uses(self, example: Example) -> Uses:
        inputs = example.inputs
        first = mark(inputs["text"], inputs["start"], inputs["end"])
        second = mark(inputs["pair"], inputs["pair-start"], inputs["pair-end"])
        return Uses(str(inputs.get("word") or first.form).lower(), first, second)


def mark(text: str, start: int, end: int) -> Use:
    """Return the use at a position in a text.

    >>> mark("En gryta lim.", 3, 8)
    Use(before=['en'], form='gryta', after=['lim', '.'])
    """
    return Use(words(text[:start]), text[start:end].strip().lower(), words(text[end:]))


def near(uses: Uses) -> Iterator[str]:
    """Yield the adjacent words, marked with their side, and the words nearby."""
    for use in uses.both:
        yield from (f"<{word}" for word in use.before[-1:])
        yield from (f">{word}" for word in use.after[:1])
        yield from use.around(3)


def shared(uses: Uses) -> Iterator[str]:
    """Yield the stems common to both contexts, in the wide and in the narrow window."""
    for size in WINDOWS[:2]:
        common = set(stems(uses.first.around(size))) & set(stems(uses.second.around(size)))
        yield from (f"{size}{term}" for term in sorted(common))


def forms(uses: Uses) -> Iterator[str]:
    """Yield the word, its endings, and the combined endings of the two forms."""
    yield uses.word
    yield from endings(uses.word)
    first, second = sorted((uses.first.form, uses.second.form))
    yield from (f"{first[-size:]}|{second[-size:]}" for size in (2, 3))


def crossed(uses: Uses) -> Iterator[str]:
    """Yield the word combined with nearby stems, of each use and common to both."""
    sides = [sorted(set(stems(use.around(5)))) for use in uses.both]
    yield from (f"{uses.word}|{term}" for side in sides for term in side)
    yield from (f"{uses.word}={term}" for term in sides[0] if term in sides[1])


def _agreements(uses: Uses) -> list[float]:
    first, second = uses.both
    left, right = (first.before[-2:], second.before[-2:]), (first.after[:2], second.after[:2])
    return [
        float(first.form == second.form),
        fuzz.ratio(first.form, second.form) / 100,
        float(first.form[-2:] == second.form[-2:]),
        float(left[0][-1:] == left[1][-1:]),
        float(right[0][:1] == right[1][:1]),
        float(stems(left[0][-1:]) == stems(left[1][-1:])),
        float(stems(right[0][:1]) == stems(right[1][:1])),
        float(left[0] == left[1]),
        float(right[0] == right[1]),
        float(bool(first.before) == bool(second.before)),
        float(len(uses.word)),
        float(np.log1p(len(first.before) + len(first.after))),
        float(np.log1p(len(second.before) + len(second.after))),
    ]


class WordPairRecipe(Recipe):
    """One item per pair of words, with features of their letters only."""

    weight = 1.0

    def __init__(self) -> None:
        self.likeness = TermSimilarity()

    def channels(self) -> Mapping[str, Terms]:
        return {"endings": lambda pair: [*endings(pair[0]), *endings(pair[1]), f"{pair[0][-2:]}|{pair[1][-2:]}"]}

    def learn(self, examples: Sequence[Example]) -> None:
        self.likeness.fit([[word] for example in examples for word in self._pair(example)])

    def items(self, example: Example) -> list[tuple[str, str]]:
        return [self._pair(example)]

    def numbers(self, items: Sequence[tuple[str, str]]) -> Floats:
        cosines = self.likeness.cosines([[first] for first, _ in items], [[second] for _, second in items])
        return np.column_stack([cosines, np.array([_spelling(*pair) for pair in items])])

    def _pair(self, example: Example) -> tuple[str, str]:
        return str(example.inputs["first"]).lower(), str(example.inputs["second"]).lower()


def _spelling(first: str, second: str) -> list[float]:
    return [
        fuzz.ratio(first, second) / 100,
        fuzz.partial_ratio(first, second) / 100,
        float(first[:3] == second[:3]),
        float(first[-2:] == second[-2:]),
        float(abs(len(first) - len(second))),
        float(len(first) + len(second)),
    ]
