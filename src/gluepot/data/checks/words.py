"""Normalised words of a split as numbers, and an index of word triples: what comparing splits is made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.data.checks.material import Split
from gluepot.records import Example
from gluepot.tasks import Kind

Numbers = NDArray[np.int64]
_WORD = re.compile(r"\w+")
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
"""Odd multipliers that make one number of three word numbers."""
COMMON = 500
"""A triple in more texts than this tells nothing about any of them, and is not followed."""


def normalise(value: Any) -> list[str]:
    """The words of a text without case, punctuation and white space; signs alone stay what they are.

    >>> normalise("Katten satt,  på MATTAN.")
    ['katten', 'satt', 'på', 'mattan']
    """
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return _WORD.findall(text.casefold()) or text.split()


@dataclass
class Words:
    """A split's texts as one row of word numbers; `parts[i, k]` is where the k-th text of item i begins."""

    numbers: Numbers
    parts: Numbers
    keys: list[int]
    """One number an item: equal for items that are the same but for case, punctuation and white space."""

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, item: int, k: int) -> list[int]:
        words: list[int] = self.numbers[self.parts[item, k] : self.parts[item, k + 1]].tolist()
        return words

    def key(self, item: int, k: int) -> int:
        return hash(tuple(self.part(item, k)))


def number_words(kind: Kind, split: Split, vocabulary: dict[str, int]) -> Words:
    """All texts of a split in numbers of a vocabulary that grows with it."""
    numbers: list[int] = []
    parts, keys = [], []
    for example in split.examples:
        row = [len(numbers)]
        for name in kind.texts:
            numbers += [vocabulary.setdefault(word, len(vocabulary)) for word in normalise(example.inputs.get(name, ""))]
            row.append(len(numbers))
        parts.append(row)
        keys.append(_key(kind, example, [tuple(numbers[a:b]) for a, b in pairwise(row)]))
    shape = (len(parts), len(kind.texts) + 1)
    return Words(np.array(numbers, dtype=np.int64), np.array(parts, dtype=np.int64).reshape(shape), keys)


def _key(kind: Kind, example: Example, texts: list[tuple[int, ...]]) -> int:
    asked: Sequence[object] = sorted(texts) if kind.name == "word-pair" else texts
    return hash((tuple(asked), marked(kind, example), options(example)))


def marked(kind: Kind, example: Example) -> tuple[str, ...]:
    """What an item asks about beside its texts: a word, the text of its spans."""
    others = (value for name, value in example.inputs.items() if name not in kind.texts and isinstance(value, str))
    return tuple(value.strip().casefold() for value in others)


def options(example: Example) -> frozenset[str]:
    """The options of an item without order, case and punctuation."""
    found = example.inputs.get("options")
    return frozenset(" ".join(normalise(option)) for option in found) if isinstance(found, list | tuple) else frozenset()


def triples(words: Words) -> tuple[Numbers, Numbers]:
    """All triples of neighbouring words as numbers, and the items they stand in."""
    if len(words.numbers) < 3:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    lengths = words.parts[:, -1] - words.parts[:, 0]
    owners = np.repeat(np.arange(len(words), dtype=np.int64), lengths)
    n = words.numbers.astype(np.uint64) + np.uint64(1)
    mixed = n[:-2] * _ODD[0] ^ n[1:-1] * _ODD[1] ^ n[2:] * _ODD[2]
    within = owners[:-2] == owners[2:]
    return mixed[within].view(np.int64), owners[:-2][within]


class Index:
    """The triples of a split, sorted, to ask which items share many with a text."""

    def __init__(self, words: Words) -> None:
        hashes, owners = triples(words)
        order = np.argsort(hashes, kind="stable")
        self.hashes, self.owners = hashes[order], owners[order]

    def candidates(self, words: Words, share: float, skip: NDArray[np.bool_]) -> list[tuple[int, list[int]]]:
        """Items of `words` of whose triples at least `share` stand here, each with the items here that hold most of them."""
        hashes, owners = triples(words)
        first = np.searchsorted(self.hashes, hashes, side="left")
        counts = np.searchsorted(self.hashes, hashes, side="right") - first
        total = np.bincount(owners, minlength=len(words))
        known = np.bincount(owners[counts > 0], minlength=len(words))
        wanted = np.flatnonzero((total > 0) & (known >= share * total) & ~skip)
        starts = np.searchsorted(owners, wanted)
        ends = np.searchsorted(owners, wanted, side="right")
        found = []
        for item, a, b in zip(wanted.tolist(), starts.tolist(), ends.tolist(), strict=True):
            best = self._most_shared(first[a:b], counts[a:b], share)
            if best:
                found.append((item, best))
        return found

    def _most_shared(self, first: Numbers, counts: Numbers, share: float) -> list[int]:
        """Up to ten items that hold at least `share` of the triples that are rare enough to be followed."""
        rare = (counts > 0) & (counts <= COMMON)
        if not rare.any():
            return []
        lists = [self.owners[f : f + n] for f, n in zip(first[rare].tolist(), counts[rare].tolist(), strict=True)]
        items, shared = np.unique(np.concatenate([np.unique(owners) for owners in lists]), return_counts=True)
        enough = shared >= share * int((counts <= COMMON).sum())
        best = np.argsort(-shared[enough], kind="stable")[:10]
        chosen: list[int] = items[enough][best].tolist()
        return chosen
