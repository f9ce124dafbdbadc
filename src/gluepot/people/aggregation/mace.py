"""MACE (Hovy et al. 2013): a rater knows the answer or guesses from their own distribution; variational EM starts from vote shares.

That start is deterministic: names and row order have no effect. Where votes are few, some items depend on the start, whichever it is:
docs/decisions/people.md.
"""

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.agreement import UnitVotes

ITERATIONS = 50
KNOWING_PRIOR, HABIT_PRIOR = 0.5, 10.0


def mace(votes: UnitVotes, iterations: int = ITERATIONS) -> Floats:
    """Return the probability of each value for each unit, of shape (units, values)."""
    labels = len(votes.values)
    cell = votes.rater * labels + votes.value
    known = (votes.counts / np.maximum(votes.sizes, 1)[:, np.newaxis])[votes.unit, votes.value]
    truth, by_habit = np.empty((votes.units, labels)), 1 - known
    for _ in range(iterations + 1):
        sums = [np.bincount(votes.rater, part, minlength=votes.raters).astype(float) for part in (by_habit, known)]
        guessing, knowing = _normalise(np.stack(sums, axis=1), KNOWING_PRIOR).T
        uses = np.bincount(cell, by_habit, minlength=votes.raters * labels).astype(float)
        habit = _normalise(uses.reshape(votes.raters, labels), HABIT_PRIOR)
        truth, by_habit, known = _expect(votes, guessing, knowing, habit)
    return truth


def _expect(votes: UnitVotes, guessing: Floats, knowing: Floats, habit: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the truth, and for each vote the probabilities that it was a guess and that it was known."""
    labels = len(votes.values)
    guess = guessing[votes.rater] * habit[votes.rater, votes.value]
    sure = guess + knowing[votes.rater]
    base = np.bincount(votes.unit, np.log(guess), minlength=votes.units)
    gain = np.log(sure) - np.log(guess)
    joint = (
        np.bincount(votes.unit * labels + votes.value, gain, minlength=votes.units * labels).reshape(votes.units, labels)
        + base[:, np.newaxis]
    )
    truth = np.exp(joint - joint.max(axis=1, keepdims=True))
    truth /= truth.sum(axis=1, keepdims=True)
    right = truth[votes.unit, votes.value]
    return truth, (1 - right) + right * guess / sure, right * knowing[votes.rater] / sure


def _normalise(counts: Floats, prior: float) -> Floats:
    """Return the variational mean of a Dirichlet distribution: exp ψ(n + prior) over exp ψ of the sum."""
    from scipy.special import digamma

    counts = counts + prior
    shares: Floats = np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True)))
    return shares
