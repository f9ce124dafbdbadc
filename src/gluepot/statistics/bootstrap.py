"""Percentile bootstrap of any metric, over items or over groups of items that hang together."""

from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from gluepot.metrics.sample import Floats, GroupedSums, Sample, encode

RESAMPLES = 1000
LEVEL = 0.95
_CELLS = 1_000_000
"""Array cells that a block of resamples may fill: 8 MB of floats; smaller and larger blocks were both slower."""


def generator(*key: Hashable) -> np.random.Generator:
    """A random generator that is the same for the same key on every machine and in every process."""
    return np.random.default_rng(int.from_bytes(sha256(repr(key).encode()).digest()[:8], "big"))


def replicate(
    sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None = None, resamples: int = RESAMPLES
) -> Floats:
    """The metric on `resamples` bootstrap resamples, (resamples,); NaN where it is undefined on one."""
    return replicate_all([sample], rng, groups, resamples)[0]


def replicate_all(
    samples: Sequence[Sample], rng: np.random.Generator, groups: Sequence[Hashable] | None = None, resamples: int = RESAMPLES
) -> list[Floats]:
    """The same for several metrics of the same predictions; those that need items drawn share the draws."""
    values: list[list[Floats]] = [[] for _ in samples]
    shared: dict[int, list[int]] = {}
    for number, sample in enumerate(samples):
        if groups is not None and len(groups) == len(sample.inverse):
            values[number] = [sample.measure(w) for w in _group_weights(sample, rng, groups, resamples)]
        elif 20 * len(sample.counts) < len(sample.inverse):
            values[number] = [sample.measure(w) for w in _multinomial_weights(sample, rng, resamples)]
        elif len(sample.counts) == len(sample.inverse):
            shared.setdefault(len(sample.inverse), []).append(number)
        else:
            values[number] = [sample.measure(w) for w in _item_weights(sample, rng, resamples)]
    for numbers in shared.values():
        for weights in _item_weights(samples[numbers[0]], rng, resamples):
            for number in numbers:
                values[number].append(samples[number].measure(weights))
    return [np.concatenate(blocks) for blocks in values]


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float] | None:
    """The percentile interval of bootstrap values; None if fewer than half of them are defined.

    >>> low, high = interval(np.arange(1001.0))
    >>> round(low, 6), round(high, 6)
    (25.0, 975.0)
    """
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < len(values) or not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _blocks(resamples: int, width: int) -> Iterator[int]:
    size = max(1, min(resamples, _CELLS // max(width, 1)))
    for start in range(0, resamples, size):
        yield min(size, resamples - start)


def _multinomial_weights(sample: Sample, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Few distinct rows: a resample is one multinomial draw of their counts."""
    n = len(sample.inverse)
    for block in _blocks(resamples, len(sample.counts)):
        yield rng.multinomial(n, sample.counts / n, size=block).astype(float)


def _item_weights(sample: Sample, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Many distinct rows: items are drawn and their rows counted."""
    n, rows = len(sample.inverse), len(sample.counts)
    for block in _blocks(resamples, max(n, rows)):
        drawn = rng.integers(0, n, size=(block, n), dtype=np.int32)
        yield count_rows(drawn if rows == n else sample.inverse[drawn], rows)


def _group_weights(sample: Sample, rng: np.random.Generator, groups: Sequence[Hashable], resamples: int) -> Iterator[Floats]:
    """Groups are drawn; each brings all its items."""
    names, (codes,) = encode(list(groups))
    by_row = GroupedSums(sample.inverse, len(sample.counts))
    for block in _blocks(resamples, len(codes)):
        drawn = count_rows(rng.integers(0, len(names), size=(block, len(names))), len(names))
        yield by_row(drawn[:, codes])


def count_rows(drawn: NDArray[np.integer], rows: int) -> Floats:
    """How often each row number occurs in each line of `drawn`.

    >>> count_rows(np.array([[0, 2, 2]]), 3).tolist()
    [[1.0, 0.0, 2.0]]
    """
    offset = np.arange(len(drawn))[:, np.newaxis] * rows
    return np.bincount((drawn + offset).ravel(), minlength=len(drawn) * rows).reshape(len(drawn), rows).astype(float)
