"""Metric: the recall of the label with the lowest recall."""

import numpy as np

from gluepot.metrics import METRICS, Metric
from gluepot.metrics.nominal import LabelPairs
from gluepot.metrics.sample import Floats


class LowestRecall(LabelPairs):
    """Lowest recall among the labels in gold.

    >>> METRICS["lowest-recall"](["k", "k", "h", "h"], ["k", "k", "h", "k"])
    0.5
    """

    def _measure(self, weights: Floats) -> Floats:
        gold, _ = self.margins(weights)
        recall = np.divide(self.hits(weights), gold, out=np.ones_like(gold), where=gold > 0)
        lowest: Floats = recall.min(axis=1)
        return lowest


METRICS.add(
    "lowest-recall",
    Metric(
        "lowest-recall",
        ("label",),
        "gluepot_faroe.metrics:LowestRecall",
        "The lowest recall of the labels that are gold.",
        needs=("labels",),
        worst=0.0,
    ),
)
