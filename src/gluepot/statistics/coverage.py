"""Coverage of confidence intervals for the mean of a few bootstrap resamples, by simulation."""

from collections.abc import Callable
from functools import cache

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import generator

Rule = Callable[[Floats, Floats, int], Floats]
"""Takes means and standard deviations over a number of resamples, and returns half the width of the interval."""
TRIALS = 4000


def root_rule(means: Floats, spreads: Floats, resamples: int) -> Floats:
    """Return 1.96·s/√m, which would hold only if the resamples were m new test sets."""
    half: Floats = 1.96 * spreads / np.sqrt(resamples)
    return half


def t_rule(means: Floats, spreads: Floats, resamples: int) -> Floats:
    """Return t·s·√(1 + 1/m), where s is the error of the test set itself, which resampling does not reduce."""
    from scipy.special import stdtrit

    half: Floats = float(stdtrit(resamples - 1, 0.975)) * spreads * np.sqrt(1 + 1 / resamples)
    return half


@cache
def coverage(rule: Rule, items: int = 2048, accuracy: float = 0.7, resamples: int = 10, trials: int = TRIALS) -> float:
    """Return the share of simulated test sets whose interval contains the true accuracy.

    A system with the given accuracy answers each test set, the test set is resampled, and the rule computes an interval.

    >>> round(coverage(root_rule), 2), round(coverage(t_rule), 2)
    (0.43, 0.95)
    """
    rng = generator("coverage", items, accuracy, resamples, trials)
    observed = rng.binomial(items, accuracy, size=trials) / items
    drawn = rng.binomial(items, observed[:, np.newaxis], size=(trials, resamples)) / items
    means, spreads = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    return float((np.abs(means - accuracy) <= rule(means, spreads, resamples)).mean())
