"""Resamples for a board: one set per task and split, the same for every system and every import."""

from collections.abc import Mapping, Sequence

import numpy as np

from gluepot.metrics.sample import Floats, Sample
from gluepot.runs.scores.scoring import Draw, item_groups
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.statistics.resamples import Resamples
from gluepot.submissions.pairing import PairedAnswers

KEPT = 400 * 1024**2
"""Bytes of drawn resamples held in memory; those of fifteen tasks take 50 MB."""


class SharedResamples:
    """Cache of resamples: those of a split are drawn on first use, and reused for the next system."""

    def __init__(self, resamples: int = RESAMPLES, secrets: Mapping[tuple[str, str], str] | None = None) -> None:
        """`secrets`, by path and split of a task: without them, the same resamples cannot be drawn."""
        self.resamples, self.secrets = resamples, secrets or {}
        self._drawn: dict[tuple[str, str, int, bool], Resamples] = {}

    def of(self, paired: PairedAnswers) -> Draw:
        """Return a function from the samples of one system's metrics to their bootstrap values."""
        answered = [number for number, output in enumerate(paired.outputs) if output is not None]
        kept = None if len(answered) == len(paired.outputs) else np.array(answered)

        def draw(samples: Sequence[Sample]) -> list[Floats]:
            values: dict[int, Floats] = {}
            for units in dict.fromkeys(len(sample.inverse) for sample in samples):
                same = [number for number, sample in enumerate(samples) if len(sample.inverse) == units]
                by_item = units == len(answered)
                resamples = self._resamples(paired, len(paired.outputs) if by_item else units, grouped=by_item)
                drawn = resamples.replicate([samples[number] for number in same], kept if by_item else None)
                values |= dict(zip(same, drawn, strict=True))
            return [values[number] for number in range(len(samples))]

        return draw

    def _resamples(self, paired: PairedAnswers, units: int, *, grouped: bool) -> Resamples:
        groups = item_groups(paired.examples) if grouped else None
        place = (paired.task.path, paired.split, units, groups is not None)
        if place not in self._drawn:
            if sum(resamples.nbytes for resamples in self._drawn.values()) > KEPT:
                self._drawn.clear()
            self._drawn[place] = Resamples(self._key(paired), units, groups, self.resamples)
        return self._drawn[place]

    def _key(self, paired: PairedAnswers) -> tuple[str, ...]:
        secret = self.secrets.get((paired.task.path, paired.split))
        return ("board", paired.task.path, paired.split, *([secret] if secret else []))
