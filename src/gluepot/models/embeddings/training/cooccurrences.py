"""Word co-occurrences within a window, weighted by inverse distance, counted in merged runs within a memory limit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gluepot.models.embeddings.training.recipe import GIB
from gluepot.plurals import pluralize

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
RUN = 500_000
"""Words counted per run."""
BYTES = 48
"""Bytes of memory per pair while runs are merged and pairs are shuffled."""


@dataclass
class Pairs:
    """Words, contexts and their co-occurrence counts; each pair in both directions."""

    words: NDArray[np.int32]
    contexts: NDArray[np.int32]
    values: Floats

    def save(self, path: Path) -> None:
        draft = path.with_name(f".{path.name}")
        np.savez(draft, words=self.words, contexts=self.contexts, values=self.values)
        draft.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Pairs":
        with np.load(path, allow_pickle=False) as kept:
            return cls(kept["words"], kept["contexts"], kept["values"])


def count_pairs(sentences: Iterable[Ints], words: int, window: int, memory: float, say: Callable[[str], None]) -> Pairs:
    """Count all pairs of a corpus whose words are given as numbers.

    >>> found = count_pairs([np.array([0, 1, 0])], 2, 5, 1.0, lambda said: None)
    >>> sorted(zip(found.words.tolist(), found.contexts.tolist(), found.values.tolist()))
    [(0, 0, 0.5), (0, 1, 2.0), (1, 0, 2.0)]
    """
    most = int(memory * GIB / BYTES)
    keys, values = np.zeros(0, np.int64), np.zeros(0, np.float64)
    run: list[Ints] = []
    size, pruned = 0, 0

    def merge() -> None:
        nonlocal keys, values, pruned
        own = _count(run, words, window)
        keys, values = _sum(np.concatenate([keys, own[0]]), np.concatenate([values, own[1]]))
        if len(keys) > most:
            strongest = np.sort(np.argpartition(-values, most // 2)[: most // 2])
            pruned += len(keys) - len(strongest)
            keys, values = keys[strongest], values[strongest]

    for sentence in sentences:
        run.append(sentence)
        size += len(sentence)
        if size >= RUN:
            merge()
            run, size = [], 0
    merge()
    if pruned:
        say(f"{pruned:,} weak pairs were left out for want of memory (--memory {memory:g})")
    say(f"{pluralize(len(keys), 'pair')} of words")
    return _both_ways(keys, values, words)


def _count(run: list[Ints], words: int, window: int) -> tuple[Ints, NDArray[np.float64]]:
    """Count the pairs of some sentences, with the lower number first."""
    if not run:
        return np.zeros(0, np.int64), np.zeros(0, np.float64)
    ids = np.concatenate(run)
    sentence = np.repeat(np.arange(len(run)), [len(one) for one in run])
    keys, values = [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
    for distance in range(1, window + 1):
        inside = sentence[:-distance] == sentence[distance:]
        left, right = ids[:-distance][inside], ids[distance:][inside]
        own = _sum(np.minimum(left, right) * words + np.maximum(left, right), np.full(len(left), 1 / distance))
        keys.append(own[0])
        values.append(own[1])
    return _sum(np.concatenate(keys), np.concatenate(values))


def _sum(keys: Ints, values: NDArray[np.float64]) -> tuple[Ints, NDArray[np.float64]]:
    """Sum the values of equal keys, in key order."""
    if not len(keys):
        return keys, values
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(values, starts)


def _both_ways(keys: Ints, values: NDArray[np.float64], words: int) -> Pairs:
    """Return the pairs in both directions; a word paired with itself is included once."""
    first, second = np.divmod(keys, words)
    other = first != second
    left = np.concatenate([first, second[other]]).astype(np.int32)
    right = np.concatenate([second, first[other]]).astype(np.int32)
    return Pairs(left, right, np.concatenate([values, values[other]]).astype(np.float32))
