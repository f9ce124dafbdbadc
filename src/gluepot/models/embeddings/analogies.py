"""Analogies by 3CosAdd over a whole vocabulary, batched so that each similarity is computed only once.

The answer to "a is to b as c is to what?" is the word whose unit vector is nearest to b + c − a, query words excluded.
Its score is a sum of three similarities, and questions share their words (SweAnalogy's 18,593 have 669, and 395 pairs a, b):
one product of the query words with a block of the vocabulary gives all rows, and a question is the sum of three of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

BLOCK = 8192
"""Maximum words of the vocabulary per block."""
ROOM = 64_000_000
"""Similarities per block (256 MB): blocks are smaller if there are many query words."""
CHUNK = 16
"""Questions per chunk: 16 × 8192 scores are half a megabyte and stay in the processor's cache."""
DOUBT = 1e-5
"""Lead that rounding could reverse. Such questions (some in 10,000) are solved one by one, independent of the batch."""


@dataclass(frozen=True)
class Questions:
    """Questions over shared query words."""

    queries: Floats
    """One vector per query word."""
    rows: Ints
    """Rows of the query words in the vocabulary; −1 for a word outside it, whose vector is composed of subwords."""
    roles: Ints
    """Query words of each question: three rows (a, b and c) of indices into `queries`."""


def solve(matrix: Floats, questions: Questions) -> Ints:
    """Return the row of each question's answer; −1 if the vocabulary has no word besides the query words.

    >>> words = np.array([[2, 0], [3, 3], [0, 1], [-1, 1]], np.float32)
    >>> solve(words, Questions(words[:3], np.arange(3), np.array([[0], [1], [2]]))).tolist()
    [3]
    """
    units = unit_rows(questions.queries)
    pairs, pair = np.unique(questions.roles[:2], axis=1, return_inverse=True)
    size = max(1, min(BLOCK, ROOM // (len(units) + pairs.shape[1])))
    lead = BestWords(questions.roles.shape[1])
    norms = np.empty(len(matrix), np.float32)
    for start in range(0, len(matrix), size):
        block = np.ascontiguousarray(matrix[start : start + size], np.float32)
        norms[start : start + size] = np.linalg.norm(block, axis=1)
        similar = units @ unit_rows(block).T
        difference = similar[pairs[1]] - similar[pairs[0]]
        difference[:, ~block.any(axis=1)] = -np.inf  # a word without a vector is no answer
        for first in range(0, len(lead.row), CHUNK):
            chunk = slice(first, first + CHUNK)
            scores = similar[questions.roles[2, chunk]]
            scores += difference[pair.ravel()[chunk]]
            _exclude(scores, questions.rows[questions.roles[:, chunk]] - start)
            lead.update(chunk, start, scores)
    for number in lead.doubtful():
        lead.row[number] = _solve_one(matrix, norms, units, questions, number)
    return lead.row


class BestWords:
    """Best word of each question so far, and the score of the second best."""

    def __init__(self, count: int) -> None:
        self.best = np.full(count, -np.inf, np.float32)
        self.second = np.full(count, -np.inf, np.float32)
        self.row = np.full(count, -1, np.int64)

    def update(self, chunk: slice, start: int, scores: Floats) -> None:
        """Update with the scores of a block's words for a chunk of questions; the scores are overwritten."""
        best, second = self.best[chunk], self.second[chunk]
        numbers = np.arange(len(scores))
        place = scores.argmax(axis=1)
        top = scores[numbers, place]
        wins = top > best
        lower = np.maximum(second, np.minimum(best, top))
        near = np.flatnonzero(top > lower - DOUBT)
        if len(near):  # a runner-up in the same block matters only where the block's best word does
            scores[near, place[near]] = -np.inf
            lower[near] = np.maximum(lower[near], scores[near].max(axis=1))
        self.second[chunk] = lower
        self.row[chunk] = np.where(wins, start + place, self.row[chunk])
        self.best[chunk] = np.maximum(best, top)

    def doubtful(self) -> list[int]:
        """Return the questions whose best word leads by less than the rounding error."""
        answered = self.row >= 0
        return [int(number) for number in np.flatnonzero(answered) if self.best[number] - self.second[number] < DOUBT]


def unit_rows(vectors: Floats) -> Floats:
    """Normalise the rows to unit length; zero rows are unchanged."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Floats = np.divide(vectors, norms, out=np.zeros(vectors.shape, np.float32), where=norms > 0)
    return units


def _exclude(scores: Floats, own: Ints) -> None:
    """Exclude the query words; `own` are their positions relative to the block, mostly outside it."""
    role, number = np.nonzero((own >= 0) & (own < scores.shape[1]))
    scores[number, own[role, number]] = -np.inf


def _solve_one(matrix: Floats, norms: Floats, units: Floats, questions: Questions, number: int) -> int:
    """Solve one question like gensim's `most_similar`, including the order in which its partial sort leaves equal words."""
    a, b, c = questions.roles[:, number]
    wanted = units[b] + units[c] - units[a]
    length = np.linalg.norm(wanted)
    distances = -np.dot(matrix, wanted / length if length else wanted)
    distances = np.divide(distances, norms, out=np.full(len(matrix), np.inf, np.float32), where=norms > 0)
    own = {int(row) for row in questions.rows[[a, b, c]] if row >= 0}
    count = 1 + sum(1 for row in questions.rows[[b, c, a]] if row >= 0)
    nearest = np.argpartition(distances, count)[:count] if count < len(matrix) else np.arange(len(matrix))
    ranked = nearest[np.argsort(distances[nearest])]
    return next(int(row) for row in ranked if int(row) not in own)
