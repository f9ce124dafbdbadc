"""Sparse matrices of weighted terms and scaled numbers, one row per item, independent of the other rows."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Item = Any
Matrix = Any
"""SciPy CSR matrix with sorted indices."""
Terms = Callable[[Item], Iterable[str]]
Floats = npt.NDArray[np.float64]
LINEAR_TERMS = 200_000
"""Maximum vocabulary of a channel; the training pairs of one task may have millions of word pairs."""
LARGEST_NUMBER = 4.0
"""Maximum absolute value of a scaled number, in standard deviations."""


class TermChannel:
    """Terms of one type, weighted by (1 + log tf) · idf, with rows of norm 1."""

    def __init__(self, terms: Terms, cap: int = LINEAR_TERMS, plain: bool = False) -> None:
        self.terms, self.cap, self.plain = terms, cap, plain
        """`plain`: binary, unweighted terms, as for the tokens of a sentence."""
        self.columns: dict[str, int] = {}
        self.idf: Floats = np.zeros(0)

    def fit(self, items: Sequence[Item]) -> Matrix:
        """Fit the vocabulary, limited to the most frequent terms, and return the rows of `items`."""
        found: dict[str, int] = {}
        counts = self._count(items, found, grow=True)
        frequency = np.bincount(counts.indices, minlength=len(found))
        kept = np.sort(np.argsort(-frequency, kind="stable")[: self.cap])
        names = list(found)
        self.columns = {names[old]: new for new, old in enumerate(kept.tolist())}
        self.idf = np.log((1 + len(items)) / (1 + frequency[kept])) + 1
        return self._weigh(counts[:, kept] if len(kept) < len(names) else counts)

    def transform(self, items: Sequence[Item]) -> Matrix:
        return self._weigh(self._count(items, self.columns, grow=False))

    def _count(self, items: Sequence[Item], columns: dict[str, int], grow: bool) -> Matrix:
        from scipy.sparse import csr_matrix

        indices, ends = array("i"), np.zeros(len(items) + 1, dtype=np.int64)
        for row, item in enumerate(items):
            indices.extend(_numbered(self.terms(item), columns, grow))
            ends[row + 1] = len(indices)
        ones = np.ones(len(indices), dtype=np.float32)
        counts = csr_matrix((ones, np.frombuffer(indices, dtype=np.int32), ends), shape=(len(items), len(columns)))
        counts.sum_duplicates()
        return counts

    def _weigh(self, counts: Matrix) -> Matrix:
        rows = counts.tocsr().astype(np.float64)
        rows.sort_indices()
        if self.plain:
            rows.data[:] = 1.0
            return rows
        rows.data = (1 + np.log(rows.data)) * self.idf[rows.indices]
        lengths = np.sqrt(_row_sums(rows, rows.data**2))
        rows.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(rows.indptr))
        return rows


class NumberScaler:
    """Scaler of numeric columns to mean 0 and standard deviation `weight`, clipped."""

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.mean: Floats = np.zeros(0)
        self.spread: Floats = np.zeros(0)

    def fit(self, values: Floats) -> Matrix:
        self.mean, spread = values.mean(axis=0), values.std(axis=0)
        self.spread = np.where(spread > 1e-9, spread, 1.0)
        return self.transform(values)

    def transform(self, values: Floats) -> Matrix:
        from scipy.sparse import csr_matrix

        scaled = np.clip((values - self.mean) / self.spread, -LARGEST_NUMBER, LARGEST_NUMBER)
        return csr_matrix(scaled * self.weight)


def stack(parts: Sequence[Matrix]) -> Matrix:
    """Stack matrices horizontally."""
    from scipy.sparse import hstack

    rows = hstack(parts, format="csr")
    rows.sort_indices()
    return rows


def products(left: Matrix, right: Matrix) -> Floats:
    """Compute the dot products of the rows of two matrices: the cosines if rows have norm 1."""
    both = left.multiply(right).tocsr()
    return _row_sums(both, both.data)


def _row_sums(rows: Matrix, data: Floats) -> Floats:
    """Sum the data of each row separately, so that other rows cannot change the last digit."""
    sums = np.zeros(rows.shape[0])
    filled = np.flatnonzero(np.diff(rows.indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(data, rows.indptr[filled])
    return sums


def _numbered(terms: Iterable[str], columns: dict[str, int], grow: bool) -> Iterable[int]:
    if grow:
        return [columns.setdefault(term, len(columns)) for term in terms]
    return [column for term in terms if (column := columns.get(term)) is not None]
