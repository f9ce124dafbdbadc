"""Dawid and Skene's model (1979): each rater has a confusion matrix over true and given labels; EM starts from vote shares."""

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.agreement import UnitVotes

ITERATIONS = 100
TOLERANCE = 1e-6
"""Gain in log-likelihood per vote at which EM has converged."""
LEAST = 1e-10
"""Lower bound of probabilities: a rater without errors so far can still make one."""


def dawid_skene(votes: UnitVotes, iterations: int = ITERATIONS) -> Floats:
    """Return the probability of each value for each unit, of shape (units, values)."""
    counts = votes.counts if isinstance(votes.counts, np.ndarray) else votes.counts.toarray()
    labels = counts.shape[1]
    truth: Floats = counts / np.maximum(votes.sizes, 1)[:, np.newaxis]
    given = votes.sizes > 0
    cell = votes.rater * labels + votes.value
    last = -np.inf
    for _ in range(iterations):
        said = [np.bincount(cell, truth[votes.unit, label], minlength=votes.raters * labels).astype(float) for label in range(labels)]
        errors = np.maximum(np.stack(said, axis=1), LEAST).reshape(votes.raters, labels, labels)  # rater, given label, true label
        errors /= errors.sum(axis=1, keepdims=True)
        prior = np.maximum(truth[given].mean(axis=0), LEAST)
        each = np.log(errors)[votes.rater, votes.value]  # vote, true
        sums = [np.bincount(votes.unit, each[:, label], minlength=votes.units) for label in range(labels)]
        joint = np.stack(sums, axis=1) + np.log(prior)
        top = joint.max(axis=1, keepdims=True)
        truth = np.exp(joint - top)
        total = truth.sum(axis=1, keepdims=True)
        truth /= total
        likelihood = float((np.log(total) + top)[given].sum())
        if likelihood - last < TOLERANCE * len(votes.unit):
            break
        last = likelihood
    return truth
