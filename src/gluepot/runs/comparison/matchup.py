"""Comparison of systems on one task: their values on the items that all answered, with enough shared resamples to separate them."""

from collections.abc import Sequence
from itertools import combinations, compress

import numpy as np

from gluepot.metrics.sample import Floats, value_of
from gluepot.runs.comparison.judgement import DifferenceTest, judge, right_or_wrong
from gluepot.runs.comparison.merits import item_merits
from gluepot.runs.scores.scoring import item_groups, make_sample
from gluepot.statistics.bootstrap import RESAMPLES, generator
from gluepot.statistics.paired import exceedances
from gluepot.statistics.resamples import Resamples
from gluepot.submissions.pairing import PairedAnswers

ENOUGH = 20
"""Number of exceedances after which a p-value is known well enough: to a fifth of itself."""
CELLS = 40_000_000
"""Bytes of resamples drawn at a time."""


class Matchup:
    """Systems of one or more seeds, on the items that all of them answered. A system's value is the mean over its seeds.

    Items are resampled, the same ones for all systems; seeds are resampled too, because another training run would have given another
    model. So few seeds vary less about their own mean than about the true one, by (s − 1)/s, which is corrected for.
    """

    def __init__(self, systems: Sequence[Sequence[PairedAnswers]]) -> None:
        first = systems[0][0]
        self.task, self.split, self.metric = first.task, first.split, first.task.metrics[0]
        answers = [paired.outputs for seeds in systems for paired in seeds]
        self.kept = [all(output is not None for output in outputs) for outputs in zip(*answers, strict=True)]
        self.examples = list(compress(first.examples, self.kept))
        self.groups = item_groups(self.examples)
        outputs = [[list(compress(paired.outputs, self.kept)) for paired in seeds] for seeds in systems]
        self.samples = [[make_sample(self.task, self.metric, self.examples, own) for own in seeds] for seeds in outputs]
        self.merits = [np.mean([item_merits(self.task, self.examples, own) for own in seeds], axis=0) for seeds in outputs]
        self.values = [float(np.mean([value_of(sample) for sample in seeds])) for seeds in self.samples]
        self.drawn: list[Floats] = [np.empty(0) for _ in systems]

    @property
    def n(self) -> int:
        return len(self.samples[0][0].inverse)

    def judge(self, least: int = RESAMPLES, most: int = RESAMPLES, against: int | None = None) -> dict[tuple[int, int], DifferenceTest]:
        """Test all pairs of systems with defined values, or one system `against` all others, on `least` to `most` resamples."""
        defined = [number for number, value in enumerate(self.values) if not np.isnan(value)]
        pairs = [pair for pair in combinations(defined, 2) if against is None or against in pair]
        resamples = self._resamples(least)
        self._extend(resamples, defined)
        # Systems without an open pair are not resampled further, so progress is measured by those that are.
        while (short := most - max(map(len, self.drawn))) > 0 and (open_ones := [pair for pair in pairs if self._is_open(*pair)]):
            resamples.renew(min(short, max(1, CELLS // resamples.units)))
            self._extend(resamples, sorted({number for pair in open_ones for number in pair}))
        return {(a, b): self._judge(a, b) for a, b in pairs}

    def _resamples(self, resamples: int) -> Resamples:
        """Return the resamples that boards use, extendable in the same sequence; metrics that count groups have groups as units."""
        by_item = self.n == len(self.examples)
        return Resamples(("board", self.task.path, self.split), self.n, self.groups if by_item else None, resamples)

    def _extend(self, resamples: Resamples, systems: Sequence[int]) -> None:
        for number in systems:
            each = np.array([resamples.replicate([sample])[0] for sample in self.samples[number]])
            self.drawn[number] = np.concatenate([self.drawn[number], self._over_seeds(each, number)])

    def _over_seeds(self, each: Floats, system: int) -> Floats:
        """Return the mean over the seeds, resampled if there are several: (resamples,) from (seeds, resamples)."""
        mean: Floats = each.mean(axis=0)
        seeds, resamples = each.shape
        if seeds == 1:
            return mean
        rng = generator("seeds", self.task.path, self.split, system, len(self.drawn[system]))
        drawn = each[rng.integers(0, seeds, size=(seeds, resamples)), np.arange(resamples)].mean(axis=0)
        moved: Floats = mean + np.sqrt(seeds / (seeds - 1)) * (drawn - mean)
        return moved

    def _is_open(self, a: int, b: int) -> bool:
        """Return whether more resamples could sharpen the comparison of two systems."""
        if right_or_wrong(self.metric, self.merits[a] - self.merits[b], grouped=self.groups is not None):
            return False
        return exceedances(self._both(a, b)[0] - self._both(a, b)[1]) < ENOUGH

    def _both(self, a: int, b: int) -> tuple[Floats, Floats]:
        """Return the values of two systems on the resamples that both have."""
        shared = min(len(self.drawn[a]), len(self.drawn[b]))
        return self.drawn[a][:shared], self.drawn[b][:shared]

    def _judge(self, a: int, b: int) -> DifferenceTest:
        gains = self.merits[a] - self.merits[b]
        return judge(self.metric, (self.values[a], self.values[b]), self._both(a, b), gains, grouped=self.groups is not None)
