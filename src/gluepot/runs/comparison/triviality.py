"""Comparison of answers with the best trivial baseline, and detection of constant answers."""

from collections.abc import Hashable, Sequence
from enum import StrEnum
from math import inf, isnan

import numpy as np
from msgspec import Struct

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.metrics import Unavailable
from gluepot.metrics.sample import Sample, value_of
from gluepot.models import CannotSolve, ModelName, make_adapter
from gluepot.records import Example, Suite, Task
from gluepot.runs.comparison.judgement import CERTAIN
from gluepot.runs.scores.scoring import item_groups, make_sample
from gluepot.statistics.bootstrap import generator
from gluepot.statistics.paired import compare
from gluepot.statistics.score_intervals import score_interval
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks.judging import as_answer

TRIVIAL = ("majority", "random", "random-weighted")
"""Trivial baselines. The best one on the task is the reference, because a majority scores 0 by construction in some metrics."""

DRAWS = 5
"""Draws of a random baseline: a single lucky draw is no reference."""


class Verdict(StrEnum):
    """Outcome of a paired test against the best trivial baseline."""

    BETTER = "better"
    WORSE = "worse"
    UNTOLD = "cannot be told"


class TrivialBaselineComparison(Struct, frozen=True):
    """Comparison of a task's answers with the best trivial baseline on it."""

    verdict: Verdict
    system: str
    value: float | None
    """Its score by the ranking metric; null if undefined, like the correlation of a constant."""


def beside_trivial(suite: Suite, pairs: list[PairedAnswers], model: str = "") -> dict[str, TrivialBaselineComparison]:
    """Compare each task's answers with the best trivial baseline by a paired bootstrap; empty if the model is itself trivial."""
    if model in TRIVIAL:
        return {}
    found = {paired.task.name: _beside(suite, paired) for paired in pairs if paired.sound}
    return {task: finding for task, finding in found.items() if finding is not None}


def one_answer(pairs: list[PairedAnswers]) -> list[str]:
    """Return the tasks with the same answer to every item: nothing was learned or understood."""
    asked = [paired for paired in pairs if len(paired.outputs) > 1 and not paired.chosen]
    return [paired.task.name for paired in asked if all(one == paired.outputs[0] for one in paired.outputs)]


def _beside(suite: Suite, paired: PairedAnswers) -> TrivialBaselineComparison | None:
    task, metric = paired.task, paired.task.metrics[0]
    kept = [i for i, output in enumerate(paired.outputs) if output is not None]
    examples = [paired.examples[i] for i in kept]
    if any(example.target is None for example in examples):
        return None
    try:
        ours = make_sample(task, metric, examples, [paired.outputs[i] for i in kept])
    except Unavailable:
        return None
    samples = {name: sample for name in TRIVIAL if (sample := _trivial(suite, name, task, examples)) is not None}
    if not samples:
        return None
    values = {name: value_of(sample) for name, sample in samples.items()}
    best = max(samples, key=lambda name: -inf if isnan(values[name]) else values[name])
    verdict = _find(ours, samples[best], generator("trivial", task.path, paired.split), item_groups(examples))
    return TrivialBaselineComparison(verdict, best, None if isnan(values[best]) else values[best])


def _trivial(suite: Suite, name: str, task: Task, examples: list[Example]) -> Sample | None:
    """Return the answers of a trivial baseline, the median of several draws; None if it cannot answer such a task."""
    model, learned = ModelName(name), suite.tasks[task.trained_on or task.name]
    train = load_examples(learned, "train") if has_split(learned, "train") else []
    known, samples = [example for example in train if example.target is not None], []
    try:
        for seed in range(DRAWS if model.info.seeded else 1):
            adapter = make_adapter(model, seed)
            adapter.fit(learned, known, [])
            samples.append(
                make_sample(task, task.metrics[0], examples, [as_answer(task, p.output) for p in adapter.predict(task, examples)])
            )
    except (CannotSolve, Unavailable):
        return None
    defined = sorted((one for one in samples if not isnan(value_of(one))), key=value_of)
    return defined[len(defined) // 2] if defined else samples[0]


def _find(ours: Sample, theirs: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None) -> Verdict:
    if isnan(value_of(ours)):
        return Verdict.UNTOLD
    if isnan(value_of(theirs)):  # a constant has no correlation: test whether ours is above or below zero
        low, high = score_interval(ours, rng, groups) or (-inf, inf)
        return Verdict.BETTER if low > 0 else Verdict.WORSE if high < 0 else Verdict.UNTOLD
    compared = compare(ours, theirs, rng, groups)
    if compared.p >= CERTAIN or not compared.difference:
        return Verdict.UNTOLD
    return Verdict.BETTER if compared.difference > 0 else Verdict.WORSE
