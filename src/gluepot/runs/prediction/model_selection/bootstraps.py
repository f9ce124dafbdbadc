"""Ten bootstraps of train, val and test, drawn as their protocol draws them, with an interval of correct coverage."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gluepot.metrics.sample import Sample
from gluepot.records import Example
from gluepot.statistics.bootstrap import generator, interval
from gluepot.statistics.resamples import Resamples

ITERATIONS, SEED = 10, 4242
Ints = NDArray[np.int64]


class BootstrappedMetric(Struct, frozen=True):
    """One metric over all bootstraps."""

    task: str
    split: str
    metric: str
    primary: bool
    mean: float
    published_low: float | None
    published_high: float | None
    """Published interval, 1.96·s/√n: it covers 43 % where it promises 95, because the resamples share one test set."""
    low: float | None
    high: float | None
    """Interval from resampling models and items together."""
    raw: list[float]


def draw(train: int, val: int, test: int, iterations: int = ITERATIONS, seed: int = SEED) -> tuple[Ints, Ints, Ints]:
    """Return the rows that each iteration takes from each split, drawn by one generator.

    >>> draw(1024, 256, 2048)[0][0, :5].tolist()
    [486, 801, 876, 687, 105]
    """
    rng = np.random.default_rng(seed)
    first, second, third = (rng.integers(0, n, size=(iterations, n)) for n in (train, val, test))
    return first, second, third


def not_empty(examples: Sequence[Example]) -> list[int]:
    """Return the numbers of the rows that take part: those without text or tokens do not."""
    return [number for number, example in enumerate(examples) if all(example.inputs.get(name, "…") for name in ("text", "tokens"))]


def resample(train: Sequence[Example], dev: Sequence[Example], iteration: int) -> tuple[list[Example], list[Example]]:
    """Return the training and development examples of an iteration; their draws do not depend on the test set."""
    kept = [[examples[number] for number in not_empty(examples)] for examples in (train, dev)]
    rows = draw(len(kept[0]), len(kept[1]), 0, max(ITERATIONS, iteration + 1))
    return [kept[0][n] for n in rows[0][iteration]], [kept[1][n] for n in rows[1][iteration]]


def test_rows(train: Sequence[Example], dev: Sequence[Example], test: Sequence[Example], iterations: int) -> list[Ints]:
    """Return the rows of the test set that each iteration is scored on."""
    kept = np.array(not_empty(test))
    drawn = draw(len(not_empty(train)), len(not_empty(dev)), len(kept), max(ITERATIONS, iterations))[2]
    return [kept[rows] for rows in drawn[:iterations]]


def published_interval(raw: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the interval as published; none for a single iteration."""
    if len(raw) < 2:
        return None, None
    radius = 1.96 * float(np.std(raw, ddof=1)) / len(raw) ** 0.5
    return float(np.mean(raw)) - radius, float(np.mean(raw)) + radius


def right_interval(key: tuple[str, ...], samples: Sequence[Sample]) -> tuple[float | None, float | None]:
    """Return the interval of the mean over resampled models on resampled items, the same items for all models."""
    resamples = Resamples(key, len(samples[0].inverse))
    values = np.stack([resamples.replicate([sample])[0] for sample in samples])
    models = generator("models", *key).integers(0, len(samples), size=(values.shape[1], len(samples)))
    means = values[models, np.arange(values.shape[1])[:, None]].mean(axis=1)
    return interval(means) or (None, None)
