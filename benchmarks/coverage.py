"""How often 95 % intervals hold the true value, and which side they miss: `python -m benchmarks.coverage` prints the decision's table."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from gluepot.metrics import METRICS
from gluepot.metrics.nominal import LabelPairs
from gluepot.metrics.sample import Floats, Ints, OverlapF1, Sample
from gluepot.statistics.bootstrap import interval, replicate
from gluepot.statistics.score_intervals import score_interval

Rule = Callable[[Sample, np.random.Generator], tuple[float, float] | None]
DRAWS = 500
PRIORS = {"even": [0.5, 0.5], "3 % of two": [0.97, 0.03], "3 % of three": [0.6, 0.37, 0.03], "3 % of five": [0.3, 0.3, 0.2, 0.17, 0.03]}
"""How often each label is gold."""
NOMINAL = ("accuracy", "alpha-nominal", "mcc", "macro-f1", "weighted-f1")


@dataclass(frozen=True)
class Coverage:
    """How often an interval holds the truth, and how often it lies wholly below or wholly above it."""

    name: str
    n: int
    truth: float
    covered: float
    below: float
    above: float


def ours(sample: Sample, rng: np.random.Generator) -> tuple[float, float] | None:
    return score_interval(sample, rng, draws=DRAWS)


def percentile(sample: Sample, rng: np.random.Generator) -> tuple[float, float] | None:
    """The common practice."""
    return interval(replicate(sample, rng, resamples=DRAWS))


def confusion(prior: Sequence[float], right: float) -> Floats:
    """The share of each pair of gold and answer: right with the given probability, else any other label by its frequency."""
    gold = np.array(prior)
    other = np.tile(gold, (len(gold), 1))
    np.fill_diagonal(other, 0)
    wrong: Floats = gold[:, np.newaxis] * (1 - right) * other / other.sum(axis=1, keepdims=True)
    return wrong + np.diag(gold * right)


def simulate_labels(metric: str, cells: Floats, n: int, datasets: int, rule: Rule = ours, seed: int = 1) -> Coverage:
    """Test sets of one population. Equal ones get their interval once."""
    labels, rng = list(range(len(cells))), np.random.default_rng(seed)
    gold, answer = np.divmod(np.arange(cells.size), len(cells))
    whole = METRICS[metric].sample(gold.tolist(), answer.tolist(), **_declared(metric, labels))
    assert isinstance(whole, LabelPairs)
    truth = float(whole.measure(1e12 * cells[whole.gold, whole.predicted][np.newaxis])[0])
    drawn, times = np.unique(rng.multinomial(n, cells.ravel(), size=datasets), axis=0, return_counts=True)
    bounds = []
    for counts in drawn:
        rows = np.repeat(np.arange(cells.size), counts)
        bounds.append(rule(METRICS[metric].sample(gold[rows].tolist(), answer[rows].tolist(), **_declared(metric, labels)), rng))
    return tally(metric, n, truth, bounds, times.astype(float))


def _declared(metric: str, labels: list[int]) -> dict[str, list[int]]:
    return {"labels": labels} if "labels" in METRICS[metric].needs else {}


def simulate(name: str, make: Callable[[np.random.Generator], Sample], truth: float, datasets: int, rule: Rule = ours) -> Coverage:
    """Test sets that a function makes."""
    rng = np.random.default_rng(1)
    samples = [make(rng) for _ in range(datasets)]
    return tally(name, len(samples[0].inverse), truth, [rule(sample, rng) for sample in samples], np.ones(datasets))


def tally(name: str, n: int, truth: float, bounds: Sequence[tuple[float, float] | None], times: Floats) -> Coverage:
    """Datasets without an interval do not count."""
    known = [(low, high, count) for found, count in zip(bounds, times, strict=True) if found is not None for low, high in [found]]
    low, high, count = np.array(known).T
    below, above = (float(count[missed].sum() / count.sum()) for missed in (high < truth - 1e-12, low > truth + 1e-12))
    return Coverage(name, n, truth, 1 - below - above, below, above)


def spans(found: float, n: int, a_sentence: float = 2.0) -> tuple[Callable[[np.random.Generator], Sample], float]:
    """Sentences with some entities, of which a share is found; seven in ten of the others are taken for something else."""

    def draw(rng: np.random.Generator, sentences: int) -> tuple[Ints, Ints, Ints]:
        gold = rng.poisson(a_sentence, size=sentences)
        hits = rng.binomial(gold, found)
        return hits, gold, hits + rng.binomial(gold - hits, 0.7)

    return lambda rng: OverlapF1(*draw(rng, n)), 2 * found / (1 + found + 0.7 * (1 - found))


def normal_pairs(metric: str, r: float, n: int) -> tuple[Callable[[np.random.Generator], Sample], float]:
    """Gold and predicted numbers that are normal and correlated; α equals r, as both have the same mean and spread."""

    def make(rng: np.random.Generator) -> Sample:
        gold = rng.normal(size=n)
        return METRICS[metric].sample(gold.tolist(), (r * gold + np.sqrt(1 - r**2) * rng.normal(size=n)).tolist())

    return make, 6 / np.pi * np.arcsin(r / 2) if metric == "spearman" else r


def measure_all(datasets: int, rule: Rule) -> Iterator[Coverage]:
    """The grid of the page: the middle and the edges, few items and many, even labels and rare ones."""
    for (prior, gold), right, n, metric in product(PRIORS.items(), (0.5, 0.8, 0.95, 0.98, 0.99, 0.995), (50, 140, 1000), NOMINAL):
        found = simulate_labels(metric, confusion(gold, right), n, datasets, rule)
        yield Coverage(f"{metric}, labels {prior}", n, found.truth, found.covered, found.below, found.above)
    for share, n in product((0.3, 0.7, 0.95, 0.99), (50, 200, 1000)):
        make, truth = spans(share, n)
        yield simulate("span-f1", make, truth, datasets, rule)
    for metric, r, n in product(("alpha-interval", "pearson", "spearman"), (0.3, 0.7, 0.95), (50, 140, 1000)):
        make, truth = normal_pairs(metric, r, n)
        yield simulate(metric, make, truth, datasets, rule)


def main(datasets: int = 600) -> None:
    for name, rule in (("percentile bootstrap", percentile), ("here", ours)):
        found = list(measure_all(datasets, rule))
        for part in ("", "accuracy", "alpha-nominal", "mcc", "macro-f1", "weighted-f1", "span-f1", "alpha-interval", "pearson", "spearman"):
            mine = [one for one in found if one.name.startswith(part)]
            covered = np.array([one.covered for one in mine])
            side = max(max(one.below, one.above) for one in mine)
            worst = min(mine, key=lambda one: one.covered)
            print(
                f"| {name} | {part or 'all'} | {covered.mean():.3f} | {covered.min():.3f} | {covered.max():.3f} | {side:.3f} "
                f"| {worst.name}, n = {worst.n}, true {worst.truth:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
