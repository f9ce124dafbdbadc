"""Features of two possibly coreferent spans of a text: their words, positions and agreement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.recipes import Recipe
from gluepot.models.features.terms import endings, stems, words
from gluepot.records import Example


@dataclass(frozen=True)
class Mentions:
    """Two spans in declared order (first, second), with the text before, between and after them."""

    first: list[str]
    second: list[str]
    capitals: tuple[bool, bool]
    forward: bool
    """Whether the first span precedes the second."""
    before: list[str]
    between: list[str]
    after: list[str]


class CoreferenceRecipe(Recipe):
    """One item per pair of spans."""

    def channels(self) -> Mapping[str, Terms]:
        return {"spans": spans, "agreement": agreement, "around": around}

    def items(self, example: Example) -> list[Mentions]:
        inputs = example.inputs
        ends = sorted((_place(inputs, "first"), _place(inputs, "second")))
        text = inputs["text"]
        mentions = Mentions(
            first=words(inputs["first"]),
            second=words(inputs["second"]),
            capitals=(inputs["first"][:1].isupper(), inputs["second"][:1].isupper()),
            forward=inputs["first-start"] <= inputs["second-start"],
            before=words(text[: ends[0][0]]),
            between=words(text[ends[0][1] : ends[1][0]]),
            after=words(text[ends[1][1] :]),
        )
        return [mentions]

    def numbers(self, items: Sequence[Mentions]) -> Floats:
        return np.array([_places(item) for item in items])


def spans(item: Mentions) -> Iterator[str]:
    """Yield the stems of each span, marked as first or second, and their common stems."""
    first, second = stems(item.first), stems(item.second)
    yield from (f"1{stem}" for stem in first)
    yield from (f"2{stem}" for stem in second)
    yield from (f"={stem}" for stem in sorted({*first} & {*second}))


def agreement(item: Mentions) -> Iterator[str]:
    """Yield the combined endings of the spans' last words (gender, number, case), and each word with the other's ending."""
    first, second = (span[-1] if span else "" for span in (item.first, item.second))
    for one in endings(first):
        yield from (f"{one}|{other}" for other in endings(second))
    yield from (f"{first}|{other}" for other in endings(second))
    yield from (f"{one}|{second}" for one in endings(first))


def around(item: Mentions) -> Iterator[str]:
    """Yield the words adjacent to the spans, and the punctuation between them."""
    yield from (f"<{word}" for word in item.before[-1:])
    yield from (f"[{word}" for word in item.between[:1])
    yield from (f"]{word}" for word in item.between[-1:])
    yield from (f">{word}" for word in stems(item.after[:2]))
    yield from (f"-{word}" for word in item.between if not word.isalnum())


def _place(inputs: Mapping[str, int], name: str) -> tuple[int, int]:
    return inputs[f"{name}-start"], inputs[f"{name}-end"]


def _places(item: Mentions) -> list[float]:
    first, second = " ".join(item.first), " ".join(item.second)
    sentences = sum(word in ".!?" for word in item.between)
    return [
        float(item.forward),
        float(np.log1p(len(item.between))),
        float(sentences),
        float(item.between.count(",")),
        float(np.log1p(len(item.before))),
        float(len(item.first)),
        float(len(item.second)),
        *map(float, item.capitals),
        fuzz.ratio(first, second) / 100,
        fuzz.partial_ratio(first, second) / 100,
        float(bool(set(stems(item.first)) & set(stems(item.second)))),
        float(second in " ".join(item.before)),
        float(first in " ".join(item.before)),
    ]
