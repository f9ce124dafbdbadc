"""Random splits: stratified by the answer, with related items (groups, near-duplicates) in the same split."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from gluepot.data.checks.splits.overlap import CANDIDATE, SHORTEST, nearly_equal
from gluepot.data.checks.splits.words import SharedTriples, Vocabulary, Words, marked, number_words, options
from gluepot.records import Example
from gluepot.tasks import Kind

DEFAULT_SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}
BINS = 5
"""Ranges of a numeric answer that are stratified."""


class DisjointSets:
    """Disjoint sets of items that must stay in the same split."""

    def __init__(self, count: int) -> None:
        self.parents = list(range(count))

    def find(self, item: int) -> int:
        while self.parents[item] != item:
            self.parents[item] = item = self.parents[self.parents[item]]
        return item

    def join(self, a: int, b: int) -> None:
        self.parents[max(self.find(a), self.find(b))] = min(self.find(a), self.find(b))

    def members(self) -> list[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for item in range(len(self.parents)):
            found[self.find(item)].append(item)
        return list(found.values())


def indivisible_groups(kind: Kind, examples: Sequence[Example], ties: Sequence[Sequence[str]] = ()) -> tuple[list[list[int]], int]:
    """Return the sets that no split may divide, and the number of near-duplicates; `ties` are further common properties of items."""
    pieces = DisjointSets(len(examples))
    first: dict[Hashable, int] = {}
    for row, example in enumerate(examples):
        if example.group is not None:
            pieces.join(row, first.setdefault(example.group, row))
    for row, names in enumerate(ties):
        for name in names:
            pieces.join(row, first.setdefault(("tie", name), row))
    duplicates: set[int] = set()
    for row, other in _near_duplicates(kind, examples):
        pieces.join(row, other)
        duplicates |= {row, other}
    return pieces.members(), len(duplicates)


def _near_duplicates(kind: Kind, examples: Sequence[Example]) -> list[tuple[int, int]]:
    """Return pairs of identical or nearly identical items, by the criteria of the overlap check."""
    words = number_words(kind, examples, Vocabulary())
    firsts: dict[int, int] = {}
    found = [(row, firsts[key]) for row, key in enumerate(words.keys) if firsts.setdefault(key, row) != row]
    for row, candidates in SharedTriples(words, words).candidates(words.lengths() < SHORTEST, CANDIDATE):
        found += [(row, other) for other in candidates if other != row and _alike(kind, examples, words, row, other)]
    return found


def _alike(kind: Kind, examples: Sequence[Example], words: Words, row: int, other: int) -> bool:
    a, b = examples[row], examples[other]
    same = marked(kind, a) == marked(kind, b) and len(options(a) & options(b)) >= len(options(a)) / 2
    return same and all(nearly_equal(words.part(row, k), words.part(other, k)) for k in range(len(kind.texts)))


def strata(kind: Kind, targets: Sequence[object]) -> list[Hashable]:
    """Return the stratum of each item: the label, or the range of a number; None for other answers."""
    if kind.answer.by_distance:
        numbers = np.array(targets, float)
        edges = np.quantile(numbers, np.linspace(0, 1, BINS + 1)[1:-1])
        return [int(place) for place in np.searchsorted(edges, numbers, side="right")]
    return [str(target) for target in targets] if kind.answer.categorical else [None] * len(targets)


def split_items(
    pieces: Sequence[Sequence[int]], classes: Sequence[Hashable], shares: Mapping[str, float], seed: int
) -> dict[str, list[int]]:
    """Return items by split, in their original order. Large pieces are assigned first, each to the split that lacks its classes most."""
    totals = Counter(classes)
    room = {split: {name: share * count for name, count in totals.items()} for split, share in shares.items() if share > 0}
    order = np.random.default_rng(seed).permutation(len(pieces))
    found: dict[str, list[int]] = {split: [] for split in room}
    for number in sorted(order, key=lambda number: -len(pieces[number])):
        held = Counter(classes[item] for item in pieces[number])
        split = max(room, key=lambda name: (_wanted(room[name], held, totals), sum(room[name].values())))
        found[split] += pieces[number]
        for name, count in held.items():
            room[split][name] -= count
    return {split: sorted(items) for split, items in found.items()}


def _wanted(room: dict[Hashable, float], held: Counter[Hashable], totals: Counter[Hashable]) -> float:
    """Return how much a split still lacks of a piece's classes, with rare classes weighted higher."""
    return sum(count * room[name] / totals[name] for name, count in held.items())
