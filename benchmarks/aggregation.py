"""Dawid and Skene's model and MACE compared with crowd-kit's, which `make bench` installs: CPU time and labels, for unequal raters.

python -m benchmarks.aggregation
"""

import sys
import warnings
from time import process_time

import numpy as np

from gluepot.people.aggregation import MODELS
from gluepot.statistics.agreement import UnitVotes

WANTED = 20
"""Minimum speed-up over crowd-kit."""


def crowd(units: int, raters: int, each: int, labels: int) -> UnitVotes:
    """Simulate votes of `each` raters per unit, correct with a probability given by each rater's skill."""
    rng = np.random.default_rng(0)
    skill, truth = rng.uniform(0.5, 0.95, raters), rng.integers(0, labels, units)
    rater = np.concatenate([rng.choice(raters, each, replace=False) for _ in range(units)])
    unit = np.repeat(np.arange(units), each)
    said = np.where(rng.random(len(unit)) < skill[rater], truth[unit], rng.integers(0, labels, len(unit)))
    return UnitVotes(unit, rater, said, list(range(labels)))


def main() -> int:
    """Run the comparison; return 1 if a model misses the target speed-up."""
    import pandas as pd
    from crowdkit.aggregation import MACE, DawidSkene

    warnings.simplefilter("ignore")
    votes = crowd(1000, 150, 4, 3)
    _, rater = np.unique(votes.rater, return_inverse=True)
    first = {int(r): n for n, r in reversed(list(enumerate(rater)))}
    order = {r: n for n, r in enumerate(sorted(first, key=lambda one: first[one]))}
    frame = pd.DataFrame({"task": votes.unit, "worker": [order[int(r)] for r in rater], "label": votes.value})
    held = True
    for name, peer in (("dawid-skene", DawidSkene(100)), ("mace", MACE(n_restarts=10))):
        MODELS[name](votes)
        began = process_time()
        for _ in range(10):
            ours = MODELS[name](votes).argmax(axis=1)
        middle = process_time()
        theirs = peer.fit_predict(frame).sort_index().to_numpy()
        end = process_time()
        mine, other = (middle - began) / 10, end - middle
        held &= other >= WANTED * mine
        times = f"{mine * 1000:.1f} ms, crowd-kit {other * 1000:.0f} ms, {other / mine:.0f} times"
        print(f"{name}: {times}; equal labels {np.mean(ours == theirs):.4f}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
