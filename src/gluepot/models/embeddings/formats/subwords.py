"""Character n-grams of words and their buckets, computed like fastText."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
OFFSET, PRIME = np.uint32(2166136261), np.uint32(16777619)
LONGEST_CHARACTER = 4
"""Maximum bytes of a character in UTF-8."""
END_OF_SENTENCE = "</s>"
"""The only word without n-grams."""


def buckets(words: Sequence[str], shortest: int, longest: int, count: int) -> tuple[Ints, Ints]:
    """Return the buckets of all n-grams of the words, in word order, and the number of n-grams of each word.

    The bucket of an n-gram of `<word>` is its FNV-1a hash, which fastText computes over signed bytes. All words are
    hashed together: starting at every character, one more character at a time.

    >>> [column.tolist() for column in buckets(["och", "å"], 3, 4, 1000)]
    [[197, 5, 528, 127, 841, 771], [5, 1]]
    """
    marked = [b"" if word == END_OF_SENTENCE else b"<%s>" % word.encode("utf-8", "replace") for word in words]
    data = np.frombuffer(b"".join(marked), np.int8)
    signed = data.astype(np.int32).view(np.uint32)
    starts = np.flatnonzero((data.view(np.uint8) & 0xC0) != 0x80)
    sizes = np.diff(starts, append=len(data))
    owner = np.repeat(np.arange(len(words)), [len(text) for text in marked])[starts]
    last = np.searchsorted(owner, owner, side="right") - 1
    mark = np.diff(owner, prepend=-1).astype(bool) | (np.arange(len(starts)) == last)
    first, hashes = np.arange(len(starts)), np.full(len(starts), OFFSET)
    owners, numbers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for length in range(1, longest + 1 if count else 0):
        inside = first + length - 1 <= last[first]
        first, hashes = first[inside], hashes[inside]
        _hash_character(hashes, signed, starts[first + length - 1], sizes[first + length - 1])
        if length >= shortest:
            whole = (length > 1) | ~mark[first]  # the boundary marks alone are not n-grams
            owners.append(owner[first[whole]])
            numbers.append((hashes[whole] % np.uint32(count)).astype(np.int64))
    all_owners, all_numbers = np.concatenate(owners), np.concatenate(numbers)
    return all_numbers[np.argsort(all_owners, kind="stable")], np.bincount(all_owners, minlength=len(words))


def _hash_character(hashes: NDArray[np.uint32], signed: NDArray[np.uint32], places: Ints, sizes: Ints) -> None:
    """Update each hash with one more character, byte by byte."""
    for byte in range(LONGEST_CHARACTER):
        longer = np.flatnonzero(sizes > byte)
        hashes[longer] = (hashes[longer] ^ signed[places[longer] + byte]) * PRIME
