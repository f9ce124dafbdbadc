"""Metrics of labels, as functions of the hits and of the counts of each label in gold, in predictions and in both."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from gluepot.metrics import INVALID
from gluepot.metrics.sample import Floats, GroupedSums, Ints, PseudoCount, Sample, Unseen, distinct_codes, encode

FEW = 16
"""Labels up to which every pair has a row; beyond, each label has one possible right and one possible wrong row."""


class LabelPairs(Sample):
    """Pairs of gold and predicted labels with their counts: those that occur, and some possible ones. `labels` are the declared ones."""

    def __init__(self, gold: Sequence[Hashable], predicted: Sequence[Hashable], labels: Sequence[Hashable] = ()) -> None:
        self.labels, (*_, g, p) = encode(labels, gold, predicted) if labels else encode(gold, predicted)
        if len(self.labels) == 1:  # another answer is always possible
            self.labels.append(INVALID)
        size = len(self.labels)
        p = self._without_abstention(g, p)
        cells, self.inverse, self.counts = _with_possible(g * size + p, size)
        self.gold, self.predicted = np.divmod(cells, size)
        self.right = (self.gold == self.predicted).astype(float)
        self._by_gold, self._by_predicted = GroupedSums(self.gold, size), GroupedSums(self.predicted, size)

    def _without_abstention(self, gold: Ints, predicted: Ints) -> Ints:
        """Replace invalid answers by the most frequent wrong label: a class of its own would reward abstention."""
        real = [number for number, label in enumerate(self.labels) if label != INVALID]
        if len(real) == len(self.labels) or len(real) < 2:
            return predicted
        counts = np.bincount(gold, minlength=len(self.labels))
        first, second, *_ = sorted(real, key=lambda number: (-counts[number], str(self.labels[number])))
        return np.where(predicted == self.labels.index(INVALID), np.where(gold == first, second, first), predicted)

    def unseen(self) -> Unseen:
        return Unseen([PseudoCount(self._cells(1.0))], [PseudoCount(self._cells(0.0))])

    def _cells(self, right: float, of: int | None = None) -> Ints:
        """Return the right or the wrong pairs, all of them or those of one label."""
        real = np.array([label != INVALID for label in self.labels])[self.gold]
        return np.flatnonzero(real & (self.right == right) & ((of is None) | (self.gold == of) | (self.predicted == of)))

    def unseen_of(self, classes: Iterable[int]) -> Unseen:
        """Return unseen items of each class, for metrics that weight classes equally; a wrong item is wrong for two classes."""
        chosen = list(classes)
        right = [PseudoCount(self._cells(1.0, number)) for number in chosen]
        return Unseen(right, [PseudoCount(self._cells(0.0, number), 0.25) for number in chosen])

    def correct(self, weights: Floats) -> Floats:
        return weights @ self.right

    def margins(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the counts of each label in gold and in predictions, (b, labels) each."""
        return self._by_gold(weights), self._by_predicted(weights)

    def hits(self, weights: Floats) -> Floats:
        """Return the number of hits of each label."""
        return self._by_gold(weights * self.right)

    def f1(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the F1 of each label (0 where undefined), whether the label occurs, and its gold count."""
        gold, predicted = self.margins(weights)
        both = gold + predicted
        f1 = np.divide(2 * self.hits(weights), both, out=np.zeros_like(both), where=both > 0)
        real = np.array([label != INVALID for label in self.labels])
        return f1, (both > 0) & real, gold


def _with_possible(codes: Ints, size: int) -> tuple[Ints, Ints, Floats]:
    """Return the occurring and the possible cells, the position of each item's cell among them, and their counts."""
    if size <= FEW:
        return np.arange(size * size), codes, np.bincount(codes, minlength=size * size).astype(float)
    found, inverse, counts = distinct_codes(codes, size * size)
    labels = np.arange(size)
    possible = np.sort(np.concatenate([labels * size + labels, labels * size + (labels + 1) % size]))
    possible = possible[np.searchsorted(found, possible, "right") == np.searchsorted(found, possible)]  # np.setdiff1d takes 0.1 s to import
    return np.concatenate([found, possible]), inverse, np.concatenate([counts, np.zeros(len(possible))])


class Accuracy(LabelPairs):
    """Share of correct items.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["accuracy"](["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """

    def _measure(self, weights: Floats) -> Floats:
        accuracy: Floats = self.correct(weights) / weights.sum(axis=1)
        return accuracy


class AlphaNominal(LabelPairs):
    """Krippendorff's nominal α = 1 − Do/De, Do = disagreements / n and De = (N² − Σ nc²) / (N(N−1)), N = 2n pooled values.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["alpha-nominal"](["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.5333333333333333
    >>> METRICS["alpha-nominal"](["a", "a"], ["a", "a"])  # no disagreement, though one label alone occurs
    1.0
    """

    def _measure(self, weights: Floats) -> Floats:
        gold, predicted = self.margins(weights)
        n = gold.sum(axis=1)
        missed = weights @ (1 - self.right)  # not n minus the hits: without errors this is exactly 0 for any weights
        pooled = 2 * n
        expected = (pooled**2 - ((gold + predicted) ** 2).sum(axis=1)) / (pooled * (pooled - 1))
        return 1 - np.divide(missed / n, expected, out=np.zeros_like(n), where=missed > 0)


class MacroF1(LabelPairs):
    """Mean of the F1 of each label that occurs.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["macro-f1"](["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.7333333333333334
    """

    def unseen(self) -> Unseen:
        return self.unseen_of(number for number, label in enumerate(self.labels) if label != INVALID)

    def _measure(self, weights: Floats) -> Floats:
        f1, occurs, _ = self.f1(weights)
        total = (f1 * occurs).sum(axis=1)
        classes = occurs.sum(axis=1)
        return np.divide(total, classes, out=np.zeros_like(total), where=classes > 0)


class WeightedF1(LabelPairs):
    """Mean of the F1 of each label, weighted by its gold count.

    >>> from gluepot.metrics import METRICS
    >>> round(METRICS["weighted-f1"](["a", "b", "b", "b"], ["a", "b", "b", "a"]), 6)
    0.766667
    """

    def _measure(self, weights: Floats) -> Floats:
        f1, _, gold = self.f1(weights)
        weighted: Floats = (f1 * gold).sum(axis=1) / weights.sum(axis=1)
        return weighted


class Mcc(LabelPairs):
    """Matthews correlation coefficient (R_k for more than two labels).

    >>> from gluepot.metrics import METRICS
    >>> METRICS["mcc"](["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.5773502691896258
    >>> METRICS["mcc"](["a", "b"], ["a", "a"])  # undefined for a constant: 0
    0.0
    """

    def _measure(self, weights: Floats) -> Floats:
        gold, predicted = self.margins(weights)
        n, claimed = gold.sum(axis=1), predicted.sum(axis=1)  # separate sums: a single label then gives exactly 0
        covariance = self.correct(weights) * n - (gold * predicted).sum(axis=1)
        spread = (n**2 - (gold**2).sum(axis=1)) * (claimed**2 - (predicted**2).sum(axis=1))
        return np.divide(covariance, np.sqrt(np.maximum(spread, 0)), out=np.zeros_like(n), where=spread > 0)


class FavorAgainstF1(LabelPairs):
    """Mean of the F1 of the given classes, by default FAVOR and AGAINST.

    >>> from gluepot.metrics import METRICS
    >>> METRICS["favor-against-f1"](["FAVOR", "AGAINST", "NONE"], ["FAVOR", "NONE", "NONE"])
    0.5
    """

    def __init__(
        self,
        gold: Sequence[Hashable],
        predicted: Sequence[Hashable],
        labels: Sequence[Hashable] = (),
        classes: Sequence[str] = ("FAVOR", "AGAINST"),
    ) -> None:
        super().__init__(gold, predicted, labels)
        self.classes = classes

    def unseen(self) -> Unseen:
        return self.unseen_of(self.labels.index(name) for name in self.classes if name in self.labels)

    def _measure(self, weights: Floats) -> Floats:
        f1, _, _ = self.f1(weights)
        columns = [f1[:, self.labels.index(c)] if c in self.labels else np.zeros(len(weights)) for c in self.classes]
        mean: Floats = np.mean(columns, axis=0)
        return mean
