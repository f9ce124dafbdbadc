"""Normalised words of a split as numbers, and an index of word triples, for comparing splits."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.records import Example
from gluepot.tasks import Kind

Numbers = NDArray[np.int64]
_WORD = re.compile(r"\w+")
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
"""Odd multipliers that combine three word numbers into one hash."""
COMMON = 500
"""Triples that occur more often than this are uninformative and ignored."""
BLOCK = 50_000
"""Items whose triples are computed at a time."""


class Vocabulary(dict[str, list[int]]):
    """Word numbers of each whitespace-separated token, without case and punctuation, each token analysed once.

    >>> words = Vocabulary()
    >>> words.read("Katten satt,  på MATTAN.") == words.read("katten satt på mattan")
    True
    """

    def __init__(self) -> None:
        self.words: dict[str, int] = {}

    def __missing__(self, token: str) -> list[int]:
        found = self[token] = [self.number(word) for word in _WORD.findall(token.casefold())]
        return found

    def number(self, word: str) -> int:
        return self.words.setdefault(word, len(self.words))

    def read(self, text: str) -> list[int]:
        """Return the word numbers of a text; a text without any word is represented by its signs."""
        tokens = text.split()
        numbers: list[int] = []
        for token in tokens:
            numbers += self[token]
        return numbers or [self.number(token) for token in tokens]


@dataclass
class Words:
    """A split's texts as one array of word numbers; `parts[i, k]` is the start of the k-th text of item i."""

    numbers: NDArray[np.int32]
    parts: Numbers
    keys: list[int]
    """One hash per item: equal for items that differ only in case, punctuation and white space."""
    text_keys: Numbers
    """One hash per text, in the same sense."""

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, item: int, k: int) -> list[int]:
        words: list[int] = self.numbers[self.parts[item, k] : self.parts[item, k + 1]].tolist()
        return words

    def lengths(self, k: int | None = None) -> Numbers:
        """Return the number of words of each item, in total or in its k-th text."""
        first, last = (0, -1) if k is None else (k, k + 1)
        return self.parts[:, last] - self.parts[:, first]


def number_words(kind: Kind, examples: Sequence[Example], vocabulary: Vocabulary) -> Words:
    """Convert all texts of the examples to numbers of a vocabulary, which grows with them."""
    numbers, parts, text_keys, keys = array("i"), array("q"), array("q"), []
    places: dict[str, tuple[int, int, int]] = {}  # premises and sentences recur in many items
    for example in examples:
        parts.append(len(numbers))
        hashes = []
        for name in kind.texts:
            text = _joined(example.inputs.get(name, ""))
            if (place := places.get(text)) is None:
                words, start = vocabulary.read(text), len(numbers)
                numbers.extend(words)
                place = places[text] = start, len(numbers), hash(tuple(words))
            else:
                numbers.extend(numbers[place[0] : place[1]])
            parts.append(len(numbers))
            hashes.append(place[2])
        text_keys.extend(hashes)
        keys.append(hash((tuple(sorted(hashes) if kind.name == "word-pair" else hashes), marked(kind, example), options(example))))
    count = len(kind.texts)
    return Words(
        np.frombuffer(numbers, dtype=np.int32),
        np.frombuffer(parts, dtype=np.int64).reshape(-1, count + 1),
        keys,
        np.frombuffer(text_keys, dtype=np.int64).reshape(-1, count),
    )


def _joined(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def marked(kind: Kind, example: Example) -> tuple[str, ...]:
    """Return an item's string inputs other than its texts: a word, the text of its spans."""
    others = (value for name, value in example.inputs.items() if name not in kind.texts and isinstance(value, str))
    return tuple(value.strip().casefold() for value in others)


def options(example: Example) -> frozenset[str]:
    """Return the options of an item without order, case and punctuation."""
    found = example.inputs.get("options")
    if not isinstance(found, list | tuple):
        return frozenset()
    return frozenset(" ".join(_WORD.findall(str(option).casefold())) or str(option) for option in found)


def triples(words: Words, first: int, last: int) -> tuple[Numbers, Numbers]:
    """Return the hashes of all triples of adjacent words, and the items they occur in, for items `first` to `last`."""
    lengths = words.lengths()[first:last]
    owners = np.repeat(np.arange(first, first + len(lengths), dtype=np.int64), lengths)
    start = words.parts[first, 0] if len(lengths) else 0
    n = words.numbers[start : start + len(owners)].astype(np.uint64) + np.uint64(1)
    mixed = n[:-2] * _ODD[0] ^ n[1:-1] * _ODD[1] ^ n[2:] * _ODD[2]
    within = owners[:-2] == owners[2:]
    return mixed[within].view(np.int64), owners[:-2][within]


class SharedTriples:
    """Index of the triples that two splits share, to find the items on the left that share many with one on the right."""

    def __init__(self, left: Words, right: Words) -> None:
        self.wanted, self.askers = triples(right, 0, len(right))
        known = np.unique(self.wanted)
        blocks = [_among(*triples(left, start, start + BLOCK), known) for start in range(0, len(left), BLOCK)]
        hashes, owners = (np.concatenate([block[i] for block in blocks] or [known[:0]]) for i in (0, 1))
        order = np.argsort(hashes, kind="stable")
        self.hashes, self.owners = hashes[order], owners[order]

    def candidates(self, skip: NDArray[np.bool_], share: float) -> Iterator[tuple[int, list[int]]]:
        """Yield items on the right with at least `share` of their triples on the left, each with its best candidates there."""
        first = np.searchsorted(self.hashes, self.wanted, side="left")
        counts = np.searchsorted(self.hashes, self.wanted, side="right") - first
        total = np.bincount(self.askers, minlength=len(skip))
        known = np.bincount(self.askers[counts > 0], minlength=len(skip))
        rows = np.flatnonzero((total > 0) & (known >= share * total) & ~skip)
        starts, ends = (np.searchsorted(self.askers, rows, side=side).tolist() for side in ("left", "right"))
        for row, a, b in zip(rows.tolist(), starts, ends, strict=True):
            if best := self._most(first[a:b], counts[a:b], share):
                yield row, best

    def _most(self, first: Numbers, counts: Numbers, share: float) -> list[int]:
        """Return up to ten items with at least `share` of the triples that are rare enough to count."""
        rare = (counts > 0) & (counts <= COMMON)
        if not rare.any():
            return []
        places = zip(first[rare].tolist(), counts[rare].tolist(), strict=True)
        items, shared = np.unique(np.concatenate([self.owners[f : f + n] for f, n in places]), return_counts=True)
        enough = shared >= share * int((counts <= COMMON).sum())
        best = np.argsort(-shared[enough], kind="stable")[:10]
        chosen: list[int] = items[enough][best].tolist()
        return chosen


def _among(hashes: Numbers, owners: Numbers, known: Numbers) -> tuple[Numbers, Numbers]:
    """Return the triples that are among the known ones, with their owners."""
    if not len(known):
        return hashes[:0], owners[:0]
    places = np.searchsorted(known, hashes)
    places[places == len(known)] = 0
    here = known[places] == hashes
    return hashes[here], owners[here]
