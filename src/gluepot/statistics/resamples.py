"""Reproducible resamples shared by all systems, so that replicates can be paired with those of later submissions."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Floats, GroupedSums, Ints, Sample, encode
from gluepot.statistics.bootstrap import RESAMPLES, JointRows, count_rows, generator

_CELLS = 1_000_000
"""Array cells per block of resamples."""
_FEW = 64
"""Distinct rows up to which counts are computed as a matrix product."""


class Resamples:
    """Counts of each item in each of a thousand resamples, determined by a key, the number of items and their groups.

    >>> from gluepot.metrics.sample import Means
    >>> resamples = Resamples(("board", "suite/task", "test"), 4)
    >>> [len(values) for values in resamples.replicate([Means([0, 1, 1, 1])])]
    [1000]
    """

    def __init__(self, key: tuple[Hashable, ...], items: int, groups: Sequence[Hashable] | None = None, resamples: int = RESAMPLES) -> None:
        names, codes = (range(items), None) if groups is None else _groups(groups)
        self.items, self.units, self.codes, self.rng = items, len(names), codes, generator(*key, items)
        self.counts = self._draw(resamples)

    def _draw(self, resamples: int) -> NDArray[np.uint8]:
        counts = np.empty((resamples, self.units), np.uint8)
        for start, stop in _blocks(resamples, self.units):
            dtype = np.int32 if self.codes is None else np.int64  # the same draws as in replicate_all
            drawn = self.rng.integers(0, self.units, size=(stop - start, self.units), dtype=dtype)
            counts[start:stop] = count_rows(drawn, self.units)
        return counts

    def renew(self, resamples: int) -> None:
        """Replace the resamples by the next ones of the same random sequence."""
        self.counts = self._draw(resamples)

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes

    def replicate(self, samples: Sequence[Sample], kept: Ints | None = None) -> list[Floats]:
        """Compute each metric on each resample, NaN where undefined; `kept` are the answered items, if not all."""
        if not samples:
            return []
        rows = JointRows(samples)
        row_of = rows.inverse if kept is None else np.full(self.items, len(rows.counts))
        if kept is not None:
            row_of[kept] = rows.inverse
        count = _row_counter(row_of, len(rows.counts) + (kept is not None))
        values: list[list[Floats]] = [[] for _ in samples]
        for start, stop in _blocks(len(self.counts), self.items):
            block = self.counts[start:stop]
            weights = count(block if self.codes is None else block[:, self.codes])[:, : len(rows.counts)]
            for position, sample in enumerate(samples):
                values[position].append(sample.measure(rows.of(position, weights)))
        return [np.concatenate(parts) for parts in values]


class _row_counter:  # noqa: N801  reads as the function that it is
    """Conversion of item counts to row counts."""

    def __init__(self, row_of: Ints, rows: int) -> None:
        self.one_hot: NDArray[np.float32] | None = None
        self.order: Ints | None = None
        if rows <= _FEW:
            self.one_hot = (row_of[:, np.newaxis] == np.arange(rows)).astype(np.float32)
        elif rows == len(row_of):
            self.order = np.argsort(row_of)
        else:
            self.sums = GroupedSums(row_of, rows)

    def __call__(self, block: NDArray[np.uint8]) -> Floats:
        if self.one_hot is not None:
            return (block.astype(np.float32) @ self.one_hot).astype(float)  # counts are whole numbers: exact below 2^24
        if self.order is not None:
            return block[:, self.order].astype(float)
        return self.sums(block.astype(float))


def _groups(groups: Sequence[Hashable]) -> tuple[Sequence[Hashable], Ints]:
    names, (codes,) = encode(list(groups))
    return names, codes


def _blocks(resamples: int, width: int) -> list[tuple[int, int]]:
    size = max(1, min(resamples, _CELLS // max(width, 1)))
    return [(start, min(start + size, resamples)) for start in range(0, resamples, size)]
