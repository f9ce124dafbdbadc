"""Checks of overlap: identical or nearly identical items in two of train, dev and test."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Indel

from gluepot.data.checks.findings import Finding, excerpt
from gluepot.data.checks.items.contents import answers_conflict, shown_text
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.data.checks.splits.words import SharedTriples, Vocabulary, Words, marked, number_words, options
from gluepot.plurals import pluralize

SHORTEST = 6
"""Words a text must have to be nearly equal to another one."""
ALIKE = 0.85
"""Share of words that nearly equal texts have in common, in order: all but one of seven."""
CONTAINED = 0.8
"""Share of a text's word triples that occur in another text that contains it."""
CANDIDATE = 0.4
"""Share of triples that candidates must have: one word of seven changed leaves 2 of 5; with fewer no two texts are nearly equal."""
PAIRS = (("train", "test"), ("dev", "test"), ("train", "dev"))


@dataclass
class ComparedSplit:
    """One of two compared splits."""

    label: str
    split: Split
    words: Words
    firsts: dict[int, int]
    """First row of each item key."""


Match = tuple[int, int]
"""A row on the right and the row on the left that it repeats."""


@CHECKS.register("overlap")
def check_overlap(material: Material) -> Iterator[Finding]:
    kept = material.training.numbered if material.training is not None else None
    vocabulary = kept[0] if kept else Vocabulary()
    sides = {role: _side(material, label, split, vocabulary) for role, label, split in _splits(material)}
    for left, right in PAIRS:
        if left in sides and right in sides:
            yield from _compare(material, sides[left], sides[right])


def _splits(material: Material) -> Iterator[tuple[str, str, Split]]:
    if material.training is not None and "train" not in material.splits:
        yield "train", f"{material.task.trained_on} train", material.training
    for split in material.splits.values():
        yield split.role, split.name, split


def _side(material: Material, label: str, split: Split, vocabulary: Vocabulary) -> ComparedSplit:
    if split.numbered is None:
        split.numbered = vocabulary, number_words(material.kind, split.examples, vocabulary)
    words = split.numbered[1]
    firsts: dict[int, int] = {}
    for row, key in enumerate(words.keys):
        firsts.setdefault(key, row)
    return ComparedSplit(label, split, words, firsts)


def _compare(material: Material, left: ComparedSplit, right: ComparedSplit) -> Iterator[Finding]:
    say = material.problem if right.split.role == "test" else material.note
    name = f"{left.label}/{right.label}"
    texts = right.words.lengths() > 0
    exact = [(row, left.firsts[key]) for row, key in enumerate(right.words.keys) if key in left.firsts and texts[row]]
    near = list(_near(material, left, right, {row for row, _ in exact}))
    for code, what, matches in (("overlap", "also", exact), ("near-overlap", "nearly the same", near)):
        if matches:
            share = f"{len(matches):,} of {pluralize(len(right.split), 'item')} of {right.label}"
            message = f"{share} {what} in {left.label}{_otherwise(material, left, right, matches)}"
            yield say(code, name, message, _examples(material, right, matches), len(matches))
    yield from _shared_texts(material, left, right, {row for row, _ in exact + near})


def _otherwise(material: Material, left: ComparedSplit, right: ComparedSplit, matches: list[Match]) -> str:
    pairs = ((right.split.examples[r].target, left.split.examples[s].target) for r, s in matches)
    other = sum(answers_conflict(material, [a, b]) for a, b in pairs)
    return f", {other:,} with another answer" if other else ""


def _examples(material: Material, right: ComparedSplit, matches: list[Match]) -> Iterator[str]:
    for row, other in matches:
        yield f"row {row + 1} = row {other + 1} {excerpt(shown_text(material.kind, right.split.examples[row]))}"


def _near(material: Material, left: ComparedSplit, right: ComparedSplit, exact: set[int]) -> Iterator[Match]:
    skip = right.words.lengths() < SHORTEST
    skip[list(exact)] = True
    for row, candidates in SharedTriples(left.words, right.words).candidates(skip, CANDIDATE):
        for other in candidates:
            if _nearly_the_same(material, left, other, right, row):
                yield row, other
                break


def _nearly_the_same(material: Material, left: ComparedSplit, other: int, right: ComparedSplit, row: int) -> bool:
    """Return whether all texts of two items are nearly equal, with equal marked words and enough options in common."""
    a, b = right.split.examples[row], left.split.examples[other]
    if marked(material.kind, a) != marked(material.kind, b):
        return False
    ours, theirs = options(a), options(b)
    if len(ours & theirs) < len(ours) / 2:
        return False
    return all(nearly_equal(right.words.part(row, k), left.words.part(other, k)) for k in range(len(material.kind.texts)))


def nearly_equal(text: list[int], other: list[int]) -> bool:
    """Return whether a text is nearly equal to another one or nearly contained in it; short texts must be equal.

    >>> nearly_equal(list(range(10)), [*range(9), 77]), nearly_equal([1, 2, 3], [1, 2, 4])
    (True, False)
    """
    if text == other:
        return True
    if min(len(text), len(other)) < SHORTEST:
        return False
    ours, theirs = (set(zip(words, words[1:], words[2:], strict=False)) for words in (text, other))
    return len(ours & theirs) >= CONTAINED * len(ours) or Indel.normalized_similarity(text, other) >= ALIKE


def _shared_texts(material: Material, left: ComparedSplit, right: ComparedSplit, whole: set[int]) -> Iterator[Finding]:
    """Note single texts of an item (its premise, its passage) that occur in another item of the other split."""
    if len(material.kind.texts) < 2:
        return
    for k, name in enumerate(material.kind.texts):
        theirs = left.words.text_keys[left.words.lengths(k) >= SHORTEST, k]
        shared = np.isin(right.words.text_keys[:, k], theirs) & (right.words.lengths(k) >= SHORTEST)
        rows = [row for row in np.flatnonzero(shared).tolist() if row not in whole]
        if rows:
            examples = (f"row {row + 1} {excerpt(right.split.examples[row].inputs[name])}" for row in rows)
            message = f"{pluralize(len(rows), 'more item')} of {right.label} whose {name} stands in {left.label}"
            yield material.note("shared-text", f"{left.label}/{right.label}", message, examples, len(rows))
