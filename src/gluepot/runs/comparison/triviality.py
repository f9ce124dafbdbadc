"""Which scores are better or worse than always giving the most frequent answer, which cannot be told, and which answers never change."""

from collections.abc import Hashable, Sequence
from enum import StrEnum
from math import inf, isnan

import numpy as np

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.metrics import Unavailable
from gluepot.metrics.sample import Sample, value_of
from gluepot.models import CannotSolve, ModelName, make_adapter
from gluepot.records import Suite
from gluepot.runs.comparison.judgement import CERTAIN
from gluepot.runs.scores.scoring import item_groups, make_sample
from gluepot.statistics.bootstrap import generator
from gluepot.statistics.intervals import score_interval
from gluepot.statistics.paired import compare
from gluepot.submissions.pairing import Paired
from gluepot.tasks.judging import as_answer


class Verdict(StrEnum):
    """What a paired test says of answers beside a constant's."""

    BETTER = "better"
    WORSE = "worse"
    UNTOLD = "cannot be told"


def beside_majority(suite: Suite, pairs: list[Paired]) -> dict[str, Verdict]:
    """Each task's answers beside the majority baseline's, by a paired bootstrap; tasks without a majority are left out."""
    found = {paired.task.name: _beside(suite, paired) for paired in pairs if paired.sound}
    return {task: finding for task, finding in found.items() if finding is not None}


def one_answer(pairs: list[Paired]) -> list[str]:
    """The tasks that got the same answer to every item: nothing was learned, or nothing understood."""
    return [paired.task.name for paired in pairs if len(paired.outputs) > 1 and all(one == paired.outputs[0] for one in paired.outputs)]


def _beside(suite: Suite, paired: Paired) -> Verdict | None:
    task, metric = paired.task, paired.task.metrics[0]
    kept = [i for i, output in enumerate(paired.outputs) if output is not None]
    examples = [paired.examples[i] for i in kept]
    if any(example.target is None for example in examples):
        return None
    adapter = make_adapter(ModelName("majority"))
    learned = suite.tasks[task.trained_on or task.name]
    train = load_examples(learned, "train") if has_split(learned, "train") else []
    try:
        adapter.fit(learned, [example for example in train if example.target is not None], [])
        trivial = [as_answer(task, p.output) for p in adapter.predict(task, examples)]
        ours = make_sample(task, metric, examples, [paired.outputs[i] for i in kept])
        theirs = make_sample(task, metric, examples, trivial)
    except (CannotSolve, Unavailable):
        return None
    return _find(ours, theirs, generator("majority", task.path, paired.split), item_groups(examples))


def _find(ours: Sample, theirs: Sample, rng: np.random.Generator, groups: Sequence[Hashable] | None) -> Verdict:
    if isnan(value_of(ours)):
        return Verdict.UNTOLD
    if isnan(value_of(theirs)):  # a constant has no correlation: the question is then whether ours is above or below zero
        low, high = score_interval(ours, rng, groups) or (-inf, inf)
        return Verdict.BETTER if low > 0 else Verdict.WORSE if high < 0 else Verdict.UNTOLD
    compared = compare(ours, theirs, rng, groups)
    if compared.p >= CERTAIN or not compared.difference:
        return Verdict.UNTOLD
    return Verdict.BETTER if compared.difference > 0 else Verdict.WORSE
