"""Sufficient statistics of a metric, so that its value under any weighting of the items is one array operation.

A bootstrap resample only changes how often each item counts. Items with the same gold and prediction are
interchangeable, so a sample stores the *distinct* rows with their counts; a resample is then one multinomial draw
over rows, and `measure` maps a whole matrix of such draws to a vector of values.
"""

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
_SMALL = 4096
"""Cells up to which sums by code are computed as a matrix product: 3 to 5 times faster."""


class PseudoCount(NamedTuple):
    """Fraction of an unseen item, which could fall on any one of these rows."""

    rows: Ints
    mass: float = 0.5


class Unseen(NamedTuple):
    """Possible rows of unseen items: those that a system gets right, and those that it gets wrong."""

    right: list[PseudoCount]
    wrong: list[PseudoCount]


class Sample:
    """Distinct rows with their counts, and the value of the metric for any such counts."""

    counts: Floats
    """Count of each distinct row, (m,); 0 for a row that is only possible."""
    inverse: Ints
    """Row of each resampled unit, (n,)."""

    def unseen(self) -> Unseen | None:
        """Return the possible unseen items; None if items are right by degrees, since the seen items then show the possible spread."""
        return None

    def measure(self, weights: Floats) -> Floats:
        """Compute the metric for every row of `weights` (b, m); NaN where it is undefined or all weights are zero."""
        some = weights.any(axis=1)
        if some.all():
            return self._measure(weights)
        values = np.full(len(weights), np.nan)
        if some.any():
            values[some] = self._measure(weights[some])
        return values

    def _measure(self, weights: Floats) -> Floats:
        """Compute the metric for every row of `weights`, each of which has a positive weight."""
        raise NotImplementedError


def value_of(sample: Sample) -> float:
    """Compute the metric on the predictions themselves."""
    return float(sample.measure(sample.counts[np.newaxis, :])[0])


def encode(*columns: Sequence[Hashable]) -> tuple[list[Any], list[Ints]]:
    """Return the labels in order of first appearance over all columns, and each column as indices into them.

    >>> labels, (gold, predicted) = encode(["b", "a"], ["a", "a"])
    >>> labels, gold.tolist(), predicted.tolist()
    (['b', 'a'], [0, 1], [1, 1])
    """
    if all(isinstance(c, np.ndarray) and c.dtype.kind in "ib" for c in columns):
        return _encode_integers([np.asarray(c) for c in columns])
    if sum(map(len, columns)) > sys.maxunicode:
        numbers = {label: number for number, label in enumerate(dict.fromkeys(chain.from_iterable(columns)))}
        return list(numbers), [np.fromiter(map(numbers.__getitem__, c), np.intp, len(c)) for c in columns]
    index: defaultdict[Any, str] = defaultdict(map(chr, count()).__next__)
    found = [_look_up(index, column).encode("utf-32-le", "surrogatepass") for column in columns]
    return list(index), [np.frombuffer(codes, np.uint32).astype(np.intp) for codes in found]


def _look_up(index: defaultdict[Any, str], column: Sequence[Hashable]) -> str:
    """Map each label to the character with its code: joining characters takes a third of the time of reading integers."""
    if len(column) < 2:  # itemgetter returns a tuple only for two or more names; it takes two thirds of map's time
        return "".join([index[label] for label in column])
    return "".join(itemgetter(*column)(index))


def _encode_integers(columns: list[NDArray[Any]]) -> tuple[list[Any], list[Ints]]:
    """Encode integer arrays, with labels in ascending order; a small range is counted instead of sorted."""
    low = min((int(c.min()) for c in columns if len(c)), default=0)
    size = max((int(c.max()) for c in columns if len(c)), default=0) - low + 1
    if size <= 4 * sum(map(len, columns)) and abs(low) < 2**62:
        codes = [c.astype(np.intp) - low for c in columns]
        present = np.flatnonzero(sum(np.bincount(c, minlength=size) for c in codes))
        position = np.zeros(size, np.intp)
        position[present] = np.arange(len(present))
        return (present + low).tolist(), codes if len(present) == size else [position[c] for c in codes]
    labels, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    return labels.tolist(), np.split(inverse, np.cumsum([len(c) for c in columns])[:-1])


def distinct_codes(codes: Ints, size: int) -> tuple[Ints, Ints, Floats]:
    """Return the codes that occur, the position of each item's code among them, and their counts."""
    if size <= 4 * len(codes) + 1024:
        tally = np.bincount(codes, minlength=size)
        present = np.flatnonzero(tally)
        if len(present) == size:
            return present, codes, tally.astype(float)
        position = np.zeros(size, np.intp)
        position[present] = np.arange(len(present))
        return present, position[codes], tally[present].astype(float)
    present, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return present, inverse, counts.astype(float)


def distinct_rows(*columns: Iterable[float]) -> tuple[Floats, Ints, Floats]:
    """Return the distinct rows (m, k) of numeric columns, the row of each item, and the counts."""
    matrix = np.column_stack([np.asarray(c, float) for c in columns])
    order = np.lexsort(matrix.T[::-1])  # a fifth of the time of np.unique(axis=0)
    ordered = matrix[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    inverse = np.empty(len(order), np.intp)
    inverse[order] = np.cumsum(new) - 1
    return ordered[new], inverse, np.bincount(inverse).astype(float)


class GroupedSums:
    """Sums of weight columns by code, vectorised over weightings.

    >>> GroupedSums(np.array([1, 0, 1]), 3)(np.array([[1.0, 2.0, 4.0]])).tolist()
    [[2.0, 5.0, 0.0]]
    """

    def __init__(self, codes: Ints, size: int) -> None:
        self.size = size
        self.table: Floats | None = None
        if len(codes) * size <= _SMALL:
            self.table = (codes[:, np.newaxis] == np.arange(size)).astype(float)
            return
        self.order = np.argsort(codes, kind="stable")
        ordered = codes[self.order]
        self.starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(codes) else np.empty(0, np.intp)
        self.present = ordered[self.starts]

    def __call__(self, weights: Floats) -> Floats:
        if self.table is not None:
            product: Floats = weights @ self.table
            return product
        sums = np.zeros((len(weights), self.size))
        if len(self.present):
            sums[:, self.present] = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        return sums


class Means(Sample):
    """Metric that is the mean of one value per item, from 0 (worst) to 1 (best)."""

    def __init__(self, values: Sequence[float] | Floats) -> None:
        seen, self.inverse, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
        self.values, self.counts = np.append(seen, [0.0, 1.0]), np.append(counts.astype(float), [0.0, 0.0])

    def unseen(self) -> Unseen | None:
        """Return an entirely right and an entirely wrong item, if most items are one or the other."""
        decided = self.counts[np.isin(self.values, (0.0, 1.0))].sum()
        worst, best = np.split(np.arange(len(self.values))[-2:], 2)
        return Unseen([PseudoCount(best)], [PseudoCount(worst)]) if 2 * decided >= len(self.inverse) else None

    def _measure(self, weights: Floats) -> Floats:
        mean: Floats = weights @ self.values / weights.sum(axis=1)
        return mean


class OverlapF1(Sample):
    """F1 from hits, gold and predicted counts, summed over items."""

    def __init__(self, hits: Iterable[float], gold: Iterable[float], predicted: Iterable[float]) -> None:
        seen, self.inverse, counts = distinct_rows(hits, gold, predicted)
        sizes, size_of = np.unique(seen[:, 1], return_inverse=True)
        whole, nothing = np.stack([sizes] * 3, axis=1), np.stack([0 * sizes, sizes, sizes], axis=1)
        self.rows = np.concatenate([seen, whole, nothing])
        self.counts = np.concatenate([counts, np.zeros(2 * len(sizes))])
        self._whole = len(seen) + size_of

    def unseen(self) -> Unseen | None:
        """Return an item with all hits; and one as wrong as those seen or, if there are none, without any hits."""
        hits, gold, predicted = self.rows[self.inverse].T
        if not gold.any():
            return None
        flawed = (hits < gold) | (hits < predicted)
        whole = self._whole[self.inverse][gold > 0]
        nothing = whole + (len(self.rows) - len(self._whole)) // 2
        return Unseen([PseudoCount(whole)], [PseudoCount(self.inverse[flawed] if flawed.any() else nothing)])

    def _measure(self, weights: Floats) -> Floats:
        hits, gold, predicted = (weights @ self.rows).T
        return np.divide(2 * hits, gold + predicted, out=np.ones(len(weights)), where=gold + predicted > 0)
