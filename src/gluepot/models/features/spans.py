"""Features of candidate spans in extractive question answering: sentence, shape and context."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np

from gluepot.answers import TEXT
from gluepot.models.features.likeness import TermSimilarity
from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.recipes import Recipe
from gluepot.models.features.terms import endings, sentences, stems, words
from gluepot.models.features.tokens import shape
from gluepot.records import Example

TOKEN = re.compile(r"\w+(?:[-.,:'’/]\w+)*|[^\w\s]")
LONGEST = 10
"""Maximum words in an answer; nine of ten answers of extractive question sets are shorter."""
WRONG = 40
"""Negative spans per training example: half from the sentences of the correct answer, half from others."""


@dataclass(frozen=True)
class PassageSentence:
    """Sentence with its tokens, as written and in lower case."""

    text: str
    places: list[tuple[int, int]]
    tokens: list[str]
    small: list[str]


@dataclass(frozen=True)
class CandidateSpan:
    """Candidate answer to a question: tokens `start` to `end` of a sentence."""

    sentence: PassageSentence
    start: int
    end: int
    question: list[str]
    number: int
    """Index of the sentence in the passage."""

    @property
    def text(self) -> str:
        return self.sentence.text[self.sentence.places[self.start][0] : self.sentence.places[self.end - 1][1]]

    @property
    def asked(self) -> str:
        """First word of the question, which indicates the type of answer."""
        return self.question[0] if self.question else ""


class SpanRecipe(Recipe):
    """One item per span of up to ten tokens within a sentence."""

    def __init__(self) -> None:
        self.likeness = TermSimilarity()

    def channels(self) -> Mapping[str, Terms]:
        return {"sort": sort_of_answer, "around": around}

    def learn(self, examples: Sequence[Example]) -> None:
        contexts = dict.fromkeys(example.inputs["context"] for example in examples)
        passages = [sentence.small for context in contexts for sentence in read_sentences(context)]
        self.likeness.fit([*passages, *(words(example.inputs["text"]) for example in examples)])

    def items(self, example: Example) -> list[CandidateSpan]:
        question = words(example.inputs["text"])
        found = read_sentences(example.inputs["context"])
        return [
            CandidateSpan(sentence, start, end, question, number)
            for number, sentence in enumerate(found)
            for start, end in stretches(sentence)
        ]

    def lessons(self, example: Example) -> list[tuple[CandidateSpan, Any]]:
        answers = [words(answer) for answer in TEXT.accepted(example.target)]
        judged = [(item, words(item.text) in answers) for item in self.items(example)]
        right = [item for item, is_right in judged if is_right]
        homes = {item.number for item in right}
        near, far = ([item for item, is_right in judged if not is_right and (item.number in homes) is home] for home in (True, False))
        chosen = [*_some(near, WRONG // 2, example.id), *_some(far, WRONG // 2, example.id)] if right else []
        return [*((item, True) for item in right), *((item, False) for item in chosen)]

    def numbers(self, items: Sequence[CandidateSpan]) -> Floats:
        cosines = self.likeness.cosines([item.sentence.small for item in items], [item.question for item in items])
        return np.column_stack([cosines, np.array([_places(item) for item in items])])


@lru_cache(maxsize=256)
def read_sentences(context: str) -> list[PassageSentence]:
    """Return the sentences of a passage with the offsets of their tokens."""
    return [_read_sentence(text) for text in sentences(context)]


def _read_sentence(text: str) -> PassageSentence:
    places = [match.span() for match in TOKEN.finditer(text)]
    tokens = [text[start:end] for start, end in places]
    return PassageSentence(text, places, tokens, [token.lower() for token in tokens])


def stretches(sentence: PassageSentence) -> Iterator[tuple[int, int]]:
    """Yield all spans of up to ten tokens that neither begin nor end with punctuation."""
    good = [token[0].isalnum() for token in sentence.tokens]
    for start in range(len(good)):
        for end in range(start + 1, min(start + LONGEST, len(good)) + 1):
            if good[start] and good[end - 1]:
                yield start, end


def sort_of_answer(item: CandidateSpan) -> Iterator[str]:
    """Yield the question's first words combined with the span's length, shape and edges."""
    tokens = item.sentence.tokens
    yield f"{item.asked}|{item.end - item.start}"
    for asked in (item.asked, " ".join(item.question[:2])):
        yield f"{asked}|{shape(tokens[item.start])}"
        yield f"{asked}|{shape(tokens[item.start])}|{shape(tokens[item.end - 1])}"
    yield from (f"{item.asked}|{ending}" for ending in endings(item.sentence.small[item.end - 1]))
    yield f"[{item.sentence.small[item.start]}"
    yield f"]{item.sentence.small[item.end - 1]}"


def around(item: CandidateSpan) -> Iterator[str]:
    """Yield the words before and after the span, alone and combined with the question's first word."""
    small = item.sentence.small
    before, after = small[item.start - 1] if item.start else "^", small[item.end] if item.end < len(small) else "$"
    yield from (f"<{before}", f">{after}", f"{item.asked}<{before}", f"{item.asked}>{after}", f"{before}<>{after}")


def _places(item: CandidateSpan) -> list[float]:
    small, asked = item.sentence.small, set(stems(item.question[1:]))
    inside, known = small[item.start : item.end], [stem in asked for stem in stems(small)]
    near = known[max(0, item.start - 4) : item.start] + known[item.end : item.end + 4]
    return [
        sum(known) / max(1, len(asked)),
        sum(known[item.start : item.end]) / len(inside),
        float(known[item.start]),
        float(known[item.end - 1]),
        sum(near) / 8,
        float(bool(item.start and known[item.start - 1])),
        float(item.end < len(small) and known[item.end]),
        float(len(inside)),
        float(item.end == len(small) or not small[item.end][0].isalnum()),
        float(item.start == 0 or not small[item.start - 1][0].isalnum()),
        float(any(char.isdigit() for token in inside for char in token)),
        float(item.number == 0),
        float(sum(not token[0].isalnum() for token in inside)),
    ]


def _some(items: list[CandidateSpan], count: int, key: str) -> list[CandidateSpan]:
    """Return at most `count` items, sampled with the example's key as seed."""
    return items if len(items) <= count else Random(key).sample(items, count)
