"""Percentile bootstrap of any metric, over items or over groups of dependent items."""

from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Floats, GroupedSums, Sample, encode
from gluepot.statistics.quantiles import quantile

RESAMPLES = 1000
LEVEL = 0.95
_CELLS = 1_000_000
"""Array cells per block of resamples: 8 MB of floats; smaller and larger blocks were both slower."""


def generator(*key: Hashable) -> np.random.Generator:
    """Return a random generator seeded by a key, identical on every machine and in every process."""
    return np.random.default_rng(int.from_bytes(sha256(repr(key).encode()).digest()[:8], "big"))


def replicate(sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None = None, resamples: int = RESAMPLES) -> Floats:
    """Compute the metric on bootstrap resamples, (resamples,); NaN where it is undefined."""
    return replicate_all([sample], rng, groups, resamples)[0]


def replicate_all(
    samples: Sequence[Sample],
    rng: np.random.Generator,
    groups: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    *,
    shared: bool = False,
) -> list[Floats]:
    """Compute several metrics or systems on the same resamples of the same items.

    `shared` draws items independently of the predictions, so that calls with the same generator and number of items use
    the same resamples too, and replicates can be paired with those computed later.
    """
    values: dict[int, Floats] = {}
    for units in dict.fromkeys(len(sample.inverse) for sample in samples):
        same = [number for number, sample in enumerate(samples) if len(sample.inverse) == units]
        rows = JointRows([samples[number] for number in same])
        blocks = [
            [samples[number].measure(rows.of(position, weights)) for position, number in enumerate(same)]
            for weights in _draws(rows, rng, groups, resamples, shared=shared)
        ]
        values |= {number: np.concatenate([block[position] for block in blocks]) for position, number in enumerate(same)}
    return [values[number] for number in range(len(samples))]


class JointRows:
    """Distinct joint rows of several samples: one for each combination that occurs."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        first = samples[0]
        self.inverse, self.counts = first.inverse, first.counts
        self._sums: list[GroupedSums | None] = [None] * len(samples)
        if all(np.array_equal(first.inverse, sample.inverse) for sample in samples[1:]):
            return
        codes = first.inverse
        for sample in samples[1:]:
            _, codes = np.unique(codes * len(sample.counts) + sample.inverse, return_inverse=True)
        self.inverse, self.counts = codes, np.bincount(codes).astype(float)
        for position, sample in enumerate(samples):
            row = np.empty(len(self.counts), np.intp)
            row[codes] = sample.inverse
            self._sums[position] = GroupedSums(row, len(sample.counts))

    @property
    def every_once(self) -> bool:
        """Whether every row occurs once, so that a drawn item number can serve as a row number."""
        return len(self.counts) == len(self.inverse) and bool(self.counts.all())

    def of(self, position: int, weights: Floats) -> Floats:
        """Convert weights over the joint rows to weights over the rows of one sample."""
        sums = self._sums[position]
        return weights if sums is None else sums(weights)


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float] | None:
    """Compute the percentile interval of bootstrap values; None if fewer than half of them are defined.

    >>> low, high = interval(np.arange(1001.0))
    >>> round(low, 6), round(high, 6)
    (25.0, 975.0)
    """
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < len(values) or not len(defined):
        return None
    low, high = (quantile(defined, share) for share in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def blocks(resamples: int, width: int) -> Iterator[int]:
    """Yield the sizes of blocks of resamples that fit the processor's cache."""
    size = max(1, min(resamples, _CELLS // max(width, 1)))
    for start in range(0, resamples, size):
        yield min(size, resamples - start)


def _draws(
    rows: JointRows, rng: np.random.Generator, groups: Sequence[Hashable] | None, resamples: int, *, shared: bool = False
) -> Iterator[Floats]:
    if groups is not None and len(groups) == len(rows.inverse):
        return _group_weights(rows, rng, groups, resamples)
    if not shared and 20 * len(rows.counts) < len(rows.inverse):
        return _multinomial_weights(rows, rng, resamples)
    return _item_weights(rows, rng, resamples)


def _multinomial_weights(rows: JointRows, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Draw row counts as multinomials, for few distinct rows."""
    n = len(rows.inverse)
    for block in blocks(resamples, len(rows.counts)):
        yield rng.multinomial(n, rows.counts / n, size=block).astype(float)


def _item_weights(rows: JointRows, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Draw items and count their rows, for many distinct rows."""
    n, distinct = len(rows.inverse), len(rows.counts)
    for block in blocks(resamples, max(n, distinct)):
        drawn = rng.integers(0, n, size=(block, n), dtype=np.int32)
        yield count_rows(drawn if rows.every_once else rows.inverse[drawn], distinct)


def _group_weights(rows: JointRows, rng: np.random.Generator, groups: Sequence[Hashable], resamples: int) -> Iterator[Floats]:
    """Draw groups with all their items."""
    names, (codes,) = encode(list(groups))
    by_row = GroupedSums(rows.inverse, len(rows.counts))
    for block in blocks(resamples, len(codes)):
        drawn = count_rows(rng.integers(0, len(names), size=(block, len(names))), len(names))
        yield by_row(drawn[:, codes])


def count_rows(drawn: NDArray[np.integer], rows: int) -> Floats:
    """Count the occurrences of each row number in each line of `drawn`.

    >>> count_rows(np.array([[0, 2, 2]]), 3).tolist()
    [[1.0, 0.0, 2.0]]
    """
    offset = np.arange(len(drawn))[:, np.newaxis] * rows
    return np.bincount((drawn + offset).ravel(), minlength=len(drawn) * rows).reshape(len(drawn), rows).astype(float)
