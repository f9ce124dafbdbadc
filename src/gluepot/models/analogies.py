"""Analogies by 3CosAdd over a whole vocabulary: many questions at once, each similarity computed only once.

A question "a is to b as c is to what?" is answered with the word whose unit vector is nearest to b + c − a, query
words excluded. Its score is a sum of three similarities, and questions share their words (SweAnalogy's 18,593 have 669):
one product of the query words with a block of the vocabulary gives all rows that are then added.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

BLOCK = 2048
"""Words of the vocabulary at a time: the rows of a thousand query words then stay in the processor's cache."""
CHUNK = 64
"""Questions added at a time: 64 × 2048 floats are half a megabyte."""
DOUBT = 1e-5
"""A lead that rounding could turn; such questions (some in 10,000) are decided one by one, the same in any batch."""


@dataclass(frozen=True)
class Questions:
    """Questions over shared query words: `a`, `b` and `c` number the rows of `queries`."""

    queries: Floats
    """One vector a query word."""
    rows: Ints
    """The query words' rows in the vocabulary, −1 where a word is not in it (a vector made from subwords)."""
    a: Ints
    b: Ints
    c: Ints


@dataclass
class _Lead:
    """The best row of each question so far, and by how much it leads."""

    count: int
    best: Floats = field(init=False)
    second: Floats = field(init=False)
    row: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.best = np.full(self.count, -np.inf, np.float32)
        self.second = np.full(self.count, -np.inf, np.float32)
        self.row = np.full(self.count, -1, np.int64)

    def update(self, questions: Ints, start: int, scores: Floats) -> None:
        """Takes the scores of a block's words (which are overwritten) for some questions."""
        every = np.arange(len(questions))
        place = scores.argmax(axis=1)
        top = scores[every, place]
        best, second = self.best[questions], self.second[questions]
        near = top > second - DOUBT
        if near.any():  # else no word of the block matters
            some = every[near]
            scores[some, place[some]] = -np.inf
            runner = np.full_like(top, -np.inf)
            runner[some] = scores[some].max(axis=1)
            self.second[questions] = np.maximum(np.minimum(best, top), np.maximum(second, runner))
        wins = top > best
        self.best[questions] = np.where(wins, top, best)
        self.row[questions] = np.where(wins, start + place, self.row[questions])


def solve(matrix: Floats, questions: Questions) -> Ints:
    """The row of each question's answer; −1 where the vocabulary has no word beside the query words.

    >>> words = np.array([[2, 0], [3, 3], [0, 1], [-1, 1]], np.float32)
    >>> one = np.array([0])
    >>> solve(words, Questions(words[:3], np.arange(3), a=one, b=one + 1, c=one + 2)).tolist()
    [3]
    """
    units = unit_rows(questions.queries)
    order = np.lexsort((questions.c, questions.b, questions.a))
    lead = _Lead(len(order))
    norms = np.empty(len(matrix), np.float32)
    for start in range(0, len(matrix), BLOCK):
        block = np.ascontiguousarray(matrix[start : start + BLOCK], np.float32)
        norms[start : start + BLOCK] = np.linalg.norm(block, axis=1)
        for chunk, scores in _block_scores(units, unit_rows(block), start, questions, order):
            lead.update(chunk, start, scores)
    for number in np.flatnonzero(lead.best - lead.second < DOUBT):
        lead.row[number] = _solve_one(matrix, norms, units, questions, int(number))
    return lead.row


def unit_rows(vectors: Floats) -> Floats:
    """The rows at length one; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros(vectors.shape, np.float32), where=norms > 0)


def _block_scores(units: Floats, block: Floats, start: int, questions: Questions, order: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Chunks of questions with their scores for the block's words; −inf for query words and for words without a vector."""
    similar = units @ block.T
    inside = np.flatnonzero((questions.rows >= start) & (questions.rows < start + len(block)))
    own = similar.copy() if len(inside) else similar
    own[inside, questions.rows[inside] - start] = -np.inf
    blank = ~block.any(axis=1)
    for first in range(0, len(order), CHUNK):
        chunk = order[first : first + CHUNK]
        scores = own[questions.c[chunk]]
        _add_pairs(scores, similar, questions, chunk)
        ...
        yield chunk, scores
