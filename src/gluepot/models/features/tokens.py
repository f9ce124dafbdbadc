"""Features of tokens in a sentence: word, shape and affixes of the token and its neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Any

from gluepot.models.features.matrix import Terms
from gluepot.models.features.recipes import Recipe
from gluepot.records import Example

AFFIXES = range(1, 6)
"""Lengths of prefixes and suffixes."""
FAR, NEAR = (-2, 2), (-1, 1)
"""Offsets of neighbours with only word and shape, and of neighbours with all features."""
EDGES = {step: f"{step}edge" for step in (*FAR, *NEAR)}


@dataclass(frozen=True)
class ShapedSentence:
    """Words of a sentence with their shapes."""

    words: list[str]
    shapes: list[str]


class TokenRecipe(Recipe):
    """One item per token: its sentence and its position."""

    plain = True

    def channels(self) -> Mapping[str, Terms]:
        return {"window": lambda token: token_features(*token)}

    def items(self, example: Example) -> list[tuple[ShapedSentence, int]]:
        sentence = read_sentence(example.inputs["tokens"])
        return [(sentence, at) for at in range(len(sentence.words))]

    def lessons(self, example: Example) -> list[tuple[tuple[ShapedSentence, int], Any]]:
        return list(zip(self.items(example), example.target, strict=True))


@lru_cache(maxsize=65_536)
def shape(word: str) -> str:
    """Return the shape of a word: upper-case, lower-case and digits as X, x and d, with runs truncated to two.

    >>> shape("Lekaldeko"), shape("HTTP/2"), shape("1987an")
    ('Xxx', 'XX/d', 'ddxx')
    """
    marks = ["X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word]
    return "".join(mark for number, mark in enumerate(marks) if number < 2 or marks[number - 2 : number] != [mark, mark])


@lru_cache(maxsize=65_536)
def word_features(word: str) -> tuple[str, ...]:
    """Return the context-free features of a word, the word and its shape first."""
    small = word.lower()
    affixes = [mark for size in AFFIXES if size < len(small) for mark in (f"{small[:size]}-", f"-{small[-size:]}")]
    traits = {
        "title": word.istitle(),
        "upper": word.isupper() and len(word) > 1,
        "digit": any(char.isdigit() for char in word),
        "mark": not any(char.isalnum() for char in word),
        "hyphen": "-" in word,
    }
    return (f"w={small}", f"s={shape(word)}", *affixes, *(name for name, holds in traits.items() if holds))


@lru_cache(maxsize=65_536)
def placed_features(word: str, step: int) -> tuple[str, ...]:
    """Return the features of a word at an offset, cached to share the strings: 90,000 words of text take 88 MB, not 211."""
    return tuple(f"{step}{feature}" for feature in word_features(word)[: 2 if step in FAR else None])


def read_sentence(tokens: Sequence[str]) -> ShapedSentence:
    words = [str(token) for token in tokens]
    return ShapedSentence(words, [shape(word) for word in words])


def sentence_features(tokens: Sequence[str]) -> list[list[str]]:
    """Return the features of each token of a sentence.

    >>> sentence_features(["Lim", "kokar"])[1][:3]
    ['0w=kokar', '0s=xx', '0k-']
    """
    sentence = read_sentence(tokens)
    return [token_features(sentence, at) for at in range(len(tokens))]


def token_features(sentence: ShapedSentence, at: int) -> list[str]:
    """Return the features of a token and its neighbours, each marked with its offset."""
    return [*_window(sentence.words, at), *_shapes(sentence.shapes, at)]


def _window(words: list[str], at: int) -> list[str]:
    features = [*placed_features(words[at], 0)]
    for step in (*FAR, *NEAR):
        if not 0 <= at + step < len(words):
            features.append(EDGES[step])
        else:
            features += placed_features(words[at + step], step)
    return features


def _shapes(shapes: list[str], at: int) -> list[str]:
    """Return the shape bigrams and trigram around a token."""
    before = shapes[at - 1] if at else "^"
    after = shapes[at + 1] if at + 1 < len(shapes) else "$"
    return [intern(f"<{before}|{shapes[at]}"), intern(f">{shapes[at]}|{after}"), intern(f"<>{before}|{shapes[at]}|{after}")]
