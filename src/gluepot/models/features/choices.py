"""Features of options: similarity to the question and the passage, relative to the other options of the item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gluepot.models.features.likeness import TermSimilarity, overlaps
from gluepot.models.features.matrix import Floats, Terms
from gluepot.models.features.recipes import Recipe
from gluepot.models.features.terms import beginnings, runs, sentences, stems, words
from gluepot.records import Example


@dataclass(frozen=True)
class OptionItem:
    """Option with its question and passage."""

    words: list[str]
    question: list[str]
    passage: "Passage"
    number: int


@dataclass(frozen=True)
class Passage:
    """Passage as sentences and as a whole; empty if there is none."""

    sentences: list[list[str]]
    words: list[str]


@lru_cache(maxsize=256)
def read_passage(text: str) -> Passage:
    """Return the words of a passage; cached, since questions about the same passage are consecutive."""
    found = [words(sentence) for sentence in sentences(text)]
    return Passage(found, [word for sentence in found for word in sentence])


class OptionRecipe(Recipe):
    """One item per option, for choice and multi-choice."""

    def __init__(self) -> None:
        self.likeness = TermSimilarity()

    def channels(self) -> Mapping[str, Terms]:
        return {
            "runs": lambda option: runs(option.words),
            "beginnings": lambda option: beginnings(option.words),
            "shared": shared,
        }

    def learn(self, examples: Sequence[Example]) -> None:
        contexts = dict.fromkeys(context_of(example) for example in examples)
        passages = [sentence for context in contexts for sentence in read_passage(context).sentences]
        self.likeness.fit([*passages, *(text for example in examples for text in _asked_texts(example))])

    def items(self, example: Example) -> list[OptionItem]:
        question = words(example.inputs["text"])
        passage = read_passage(context_of(example))
        return [OptionItem(words(option), question, passage, number) for number, option in enumerate(example.inputs["options"])]

    def lessons(self, example: Example) -> list[tuple[OptionItem, Any]]:
        right = example.target if isinstance(example.target, frozenset) else {example.target}
        return [(option, option.number in right) for option in self.items(example)]

    def numbers(self, items: Sequence[OptionItem]) -> Floats:
        own = np.column_stack([self._asked(items), self._read(items), np.array([_sizes(option) for option in items])])
        return beside_others(own, [option.number for option in items])

    def _asked(self, items: Sequence[OptionItem]) -> Floats:
        """Return the similarity of option and question."""
        cosines = self.likeness.cosines([option.question for option in items], [option.words for option in items])
        return np.column_stack([cosines, np.array([overlaps(option.question, option.words) for option in items])])

    def _read(self, items: Sequence[OptionItem]) -> Floats:
        """Return the similarity of the option, and of question and option, to the passage and its nearest sentence."""
        passages = [option.passage.words for option in items]
        answers = [option.question + option.words for option in items]
        nearest = [nearest_sentence(option) for option in items]
        return np.column_stack(
            [
                self.likeness.cosines(passages, [option.words for option in items]),
                self.likeness.cosines(passages, answers),
                self.likeness.cosines(nearest, answers),
                [found_in(option.words, option.passage.words) for option in items],
                [found_in(option.words, sentence) for option, sentence in zip(items, nearest, strict=True)],
            ]
        )


def beside_others(own: Floats, numbers: Sequence[int]) -> Floats:
    """Return each number and its difference from the mean over the options of its example; an example starts at number 0."""
    firsts = np.flatnonzero(np.array(numbers) == 0)
    counts = np.diff([*firsts, len(numbers)])
    means = np.add.reduceat(own, firsts, axis=0) / counts[:, None]
    return np.column_stack([own, own - np.repeat(means, counts, axis=0)])


def nearest_sentence(option: OptionItem) -> list[str]:
    """Return the sentence of the passage with the most stems of question and option."""
    wanted = set(stems(option.question + option.words))
    return max(option.passage.sentences, key=lambda sentence: len(wanted & set(stems(sentence))), default=[])


def found_in(tokens: list[str], text: list[str]) -> list[float]:
    """Return the shares of words and of bigrams that occur in the text, and whether it contains the exact sequence.

    >>> found_in(["warm", "glue"], ["the", "warm", "pot"])
    [0.5, 0.0, 0.0]
    """
    if not tokens:
        return [0.0, 0.0, 0.0]
    own, known = stems(tokens), stems(text)
    singles, pairs = set(known), set(pairwise(known))
    there = sum(stem in singles for stem in own) / len(own)
    joined = sum(pair in pairs for pair in pairwise(own)) / (len(own) - 1) if len(own) > 1 else there
    return [there, joined, float(f" {' '.join(tokens)} " in f" {' '.join(text)} ")]


def shared(option: OptionItem) -> Iterator[str]:
    """Yield the stems that the option shares with the question, and those of the option alone."""
    asked, own = set(stems(option.question)), set(stems(option.words))
    yield from (f"={term}" for term in sorted(asked & own))
    yield from (f"+{term}" for term in sorted(own - asked))


def _sizes(option: OptionItem) -> list[float]:
    return [float(len(option.words)), float(sum(map(len, option.words))), float(any(word.isdigit() for word in option.words))]


def context_of(example: Example) -> str:
    return str(example.inputs.get("context") or "")


def _asked_texts(example: Example) -> Iterator[list[str]]:
    yield words(example.inputs["text"])
    yield from (words(option) for option in example.inputs["options"])
