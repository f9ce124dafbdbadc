"""Artefact report of a task: the accuracy of each rule compared to chance."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from gluepot.build.artefacts.features import rules_for
from gluepot.build.artefacts.halves import some
from gluepot.build.artefacts.rules import Rule
from gluepot.errors import GluepotError
from gluepot.metrics.sample import Means
from gluepot.records import Example
from gluepot.statistics.score_intervals import score_interval
from gluepot.tasks import Kind

FOLDS = 2
LEAST = 10
"""Minimum number of items of a split to be evaluated."""
MOST_TRIED = 10_000
"""Maximum number of items that a rule is evaluated on: the interval is narrow by then."""


class Artefact(Struct, frozen=True):
    """Accuracy of one rule, its confidence interval, and chance level."""

    rule: str
    accuracy: float
    low: float
    high: float
    chance: float

    @property
    def tells(self) -> bool:
        """Whether the accuracy is significantly better than chance."""
        return self.low > self.chance


def find_artefacts(kind: Kind, splits: Mapping[str, Sequence[Example]]) -> list[Artefact]:
    """Evaluate every rule: fit on train and tested on test (or dev), or cross-fitted on two halves if there is no train split."""
    known = {name: [example for example in examples if example.target is not None] for name, examples in splits.items()}
    known = {name: examples for name, examples in known.items() if len(examples) >= LEAST}
    tried = next((name for name in ("test", "dev", "val", "validation") if name in known), next(iter(known), None))
    if tried is None:
        return []
    learned = next((name for name in ("train", "training") if name in known and name != tried), None)
    folds = [(some(known[learned]), known[tried][:MOST_TRIED])] if learned else list(_halves(known[tried][:MOST_TRIED]))
    inputs = set.intersection(*(set(example.inputs) for _, part in folds for example in part))
    found = (_try(rule, kind, folds) for rule in rules_for(kind, inputs))
    return [artefact for artefact in found if artefact is not None]


def _halves(examples: Sequence[Example]) -> Iterator[tuple[list[Example], list[Example]]]:
    """Yield two folds of halves that share no group."""
    groups = list(dict.fromkeys(example.group or example.id for example in examples))
    side = dict(zip(groups, np.random.default_rng(0).permutation(len(groups)) % FOLDS, strict=True))
    parts = [[example for example in examples if side[example.group or example.id] == fold] for fold in range(FOLDS)]
    if all(parts):
        yield parts[0], parts[1]
        yield parts[1], parts[0]


def _try(rule: Rule, kind: Kind, folds: Sequence[tuple[Sequence[Example], Sequence[Example]]]) -> Artefact | None:
    hits: list[float] = []
    tried: list[Example] = []
    for learned, part in folds:
        try:
            rule.fit(learned)
            answers = rule.predict(part)
        except GluepotError:  # the baseline has nothing to learn from
            return None
        hits += [float(answer == example.target) for answer, example in zip(answers, part, strict=True)]
        tried += part
    if not tried:
        return None
    groups = [example.group or example.id for example in tried]
    interval = score_interval(Means(hits), np.random.default_rng(0), groups if len(set(groups)) < len(groups) else None)
    value = float(np.mean(hits))
    low, high = interval or (0.0, 1.0)
    return Artefact(rule.name, round(value, 4), round(low, 4), round(high, 4), round(_chance(kind, tried), 4))


def _chance(kind: Kind, tried: Sequence[Example]) -> float:
    """Return the accuracy of the most frequent answer, or of a random option."""
    if kind.answer.of_options:
        return float(np.mean([1 / max(1, len(example.inputs["options"])) for example in tried]))
    return max(Counter(example.target for example in tried).values()) / len(tried)
