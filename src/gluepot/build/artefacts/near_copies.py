"""Exact near-copy detection: texts that share at least a given proportion of their words, without comparing all pairs.

Two sets of words with four in five in common share the two rarest common ones among the few rarest of either (prefix filtering:
Chaudhuri et al. 2006, Bayardo et al. 2007, Wang et al. 2012): only texts that share two such words are compared, long ones one.
See docs/decisions/near-copies.md for measurements.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import ceil

import numpy as np
from numpy.typing import NDArray

NEAR = 0.8
"""Minimum Jaccard similarity of the words of near-copies."""
LONG = 100
"""Number of words from which one shared rare word is enough: longer texts have too many pairs of rare words."""
Numbers = NDArray[np.int64]


def near_pairs(texts: Sequence[Iterable[str]], threshold: float = NEAR) -> list[tuple[int, int]]:
    """Return each text that is a copy or near-copy of an earlier one, with the first of these.

    >>> near_pairs(["katten satt på mattan idag".split(), "solen".split(), "katten satt på mattan igår idag".split()])
    [(2, 0)]
    """
    earliest: dict[int, int] = {}
    for one, other in all_pairs(texts, threshold):
        earliest[one] = min(other, earliest.get(one, other))
    return sorted(earliest.items())


def all_pairs(texts: Sequence[Iterable[str]], threshold: float = NEAR) -> list[tuple[int, int]]:
    """Return near-copies, the later text first; texts with the same set of words are paired with the first of them only."""
    sets = [frozenset(text) for text in texts]
    firsts: dict[frozenset[str], int] = {}
    found = [(place, firsts[words]) for place, words in enumerate(sets) if words and firsts.setdefault(words, place) != place]
    for one, other in _candidates(list(firsts), threshold):
        a, b = sorted((firsts[one], firsts[other]))
        common = len(one & other)
        if common >= threshold * (len(one) + len(other) - common):
            found.append((b, a))
    return found


def near_of(known: Sequence[Iterable[str]], asked: Sequence[Iterable[str]], threshold: float = NEAR) -> set[int]:
    """Return the indices of texts that are copies or near-copies of known ones."""
    sets = [frozenset(text) for text in known]
    both, mine = set(sets), [frozenset(text) for text in asked]
    near = set(both)
    unique = list(dict.fromkeys([*sets, *mine]))
    for one, other in _candidates([words for words in unique if words], threshold):
        if (one in both) != (other in both) and len(one & other) >= threshold * len(one | other):
            near |= {one, other}
    return {place for place, words in enumerate(mine) if words and words in near}


def _candidates(sets: Sequence[frozenset[str]], threshold: float) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return pairs of distinct sets that share their rarest words and whose sizes permit the threshold."""
    counts = Counter(word for words in sets for word in words)
    ranks = {word: rank for rank, (word, _) in enumerate(sorted(counts.items(), key=lambda one: (one[1], one[0])))}
    by_size: dict[int, list[int]] = {}
    for place, words in enumerate(sets):
        by_size.setdefault(len(words), []).append(place)
    keys, owners = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for size, places in by_size.items():
        rows = np.array([sorted(ranks[word] for word in sets[place]) for place in places], dtype=np.int64)
        for made in _keys(rows, size, threshold):
            keys.append(made)
            owners.append(np.array(places, dtype=np.int64))
    pairs = _meetings(np.concatenate(keys), np.concatenate(owners))
    sizes = np.array([len(words) for words in sets], dtype=np.int64)
    a, b = pairs >> 32, pairs & 0xFFFFFFFF
    fits = np.minimum(sizes[a], sizes[b]) >= threshold * np.maximum(sizes[a], sizes[b]) if len(pairs) else np.empty(0, bool)
    return [(sets[one], sets[other]) for one, other in zip(a[fits].tolist(), b[fits].tolist(), strict=True)]


def _keys(rows: Numbers, size: int, threshold: float) -> Iterable[Numbers]:
    """Yield the blocking keys of sets of one size: pairs of their rarest words, and single rare words for long texts."""
    needed = ceil(threshold * size - 1e-9)
    if size < LONG / threshold and size > 1:
        for one, other in combinations(range(size - needed + 2), 2):
            yield (rows[:, one] << 31) | rows[:, other]
    if size >= LONG * threshold:
        for one in range(size - needed + 1):
            yield rows[:, one] | (1 << 62)


def _meetings(keys: Numbers, owners: Numbers) -> Numbers:
    """Return the distinct pairs of owners of a common key, packed with the smaller one in the upper 32 bits."""
    order = np.argsort(keys, kind="stable")
    keys, owners = keys[order], owners[order]
    found = [np.empty(0, np.int64)]
    starts, apart = np.arange(len(keys)), 1
    while len(starts):
        starts = starts[starts < len(keys) - apart]
        starts = starts[keys[starts] == keys[starts + apart]]
        one, other = owners[starts], owners[starts + apart]
        found.append(np.unique((np.minimum(one, other) << 32) | np.maximum(one, other)))
        apart += 1
    return np.unique(np.concatenate(found))
