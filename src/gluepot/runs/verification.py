"""Verification of a suite's scoring on its own data: gold scores best, shuffled gold scores at chance, an empty model fails loudly."""

from collections.abc import Sequence
from math import isnan, sqrt
from statistics import fmean, stdev
from typing import Any

from msgspec import Struct

from gluepot.data.examples import load_examples
from gluepot.data.folders import available_splits
from gluepot.metrics import METRICS, Unavailable
from gluepot.metrics.sample import value_of
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.scores.scoring import make_sample
from gluepot.statistics.bootstrap import generator
from gluepot.submissions.problems import Problems
from gluepot.submissions.run_predictions import pair_predictions
from gluepot.tasks import KINDS

SHUFFLES = 20
CORRECTED = {"alpha-nominal", "alpha-interval", "mcc", "spearman", "pearson", "pseudo-alpha-recast"}
"""Chance-corrected metrics: zero for answers unrelated to the questions."""


class Check(Struct, frozen=True):
    """A claim about a task, and whether it holds."""

    task: str
    split: str
    claim: str
    holds: bool
    detail: str


def verify(suite: Suite, task: Task | None = None) -> list[Check]:
    """Check all claims about the tasks whose answers are available."""
    checks = []
    for one in [task] if task else suite.tasks.values():
        for split in available_splits(one):
            examples = load_examples(one, split) if split != "train" else []
            if examples and all(example.target is not None for example in examples):
                checks += [
                    *_gold_is_best(one, split, examples),
                    *_shuffled_is_chance(one, split, examples),
                    _empty_fails(one, split, examples),
                ]
    return checks


def gold_answer(task: Task, example: Example) -> Any:
    """Return the gold answer in the form of a prediction; the first of several accepted answers."""
    return KINDS[task.kind].answer.accepted(example.target)[0]


def _value(task: Task, metric: str, examples: Sequence[Example], outputs: Sequence[Any]) -> float | None:
    try:
        return value_of(make_sample(task, metric, examples, outputs))
    except Unavailable:
        return None


def _gold_is_best(task: Task, split: str, examples: Sequence[Example]) -> list[Check]:
    outputs = [gold_answer(task, example) for example in examples]
    checks = []
    for metric in task.metrics:
        value = _value(task, metric, examples, outputs) if metric != "gender-parity" else None
        if value is not None:
            best = METRICS[metric].best
            checks.append(
                Check(task.name, split, f"gold scores best by {metric}", abs(value - best) < 1e-9, f"{value:.6f}, best is {best:g}")
            )
    return checks


def _shuffled_is_chance(task: Task, split: str, examples: Sequence[Example]) -> list[Check]:
    """Check shuffled gold answers: zero on average for a chance-corrected metric, clearly worse than best otherwise."""
    answer = KINDS[task.kind].answer
    if answer.per_token or answer.per_option or len(examples) < 20:
        return []
    metric = task.metrics[0]
    outputs = [gold_answer(task, example) for example in examples]
    rng = generator("verify", task.path, split)
    values = []
    for _ in range(SHUFFLES):
        dealt = [outputs[i] for i in rng.permutation(len(outputs))]
        value = _value(task, metric, examples, dealt)
        if value is not None and not isnan(value):
            values.append(value)
    if len(values) < 2:
        return []
    mean, spread = fmean(values), stdev(values)
    if metric in CORRECTED:
        near = abs(mean) <= 5 * spread / sqrt(len(values)) + 1 / len(examples)
        return [Check(task.name, split, f"shuffled gold scores zero by {metric}", near, f"{mean:.4f} ± {spread:.4f}")]
    worse = mean + 3 * spread < METRICS[metric].best
    return [Check(task.name, split, f"shuffled gold scores clearly worse by {metric}", worse, f"{mean:.4f} ± {spread:.4f}")]


def _empty_fails(task: Task, split: str, examples: list[Example]) -> Check:
    problems = Problems()
    paired = pair_predictions(task, split, examples, [Prediction(example.id, None) for example in examples], problems)
    count = problems.count()
    return Check(
        task.name,
        split,
        "an empty model fails loudly",
        count > 0 and not paired.sound,
        f"{pluralize(count, 'problem')} for {pluralize(len(examples), 'item')}",
    )
