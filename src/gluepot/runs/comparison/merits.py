"""How good each single answer is, so that two systems can be laid side by side item by item."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Floats
from gluepot.records import Example, Task
from gluepot.tasks import KINDS


def item_gains(task: Task, examples: Sequence[Example], a: Sequence[Any], b: Sequence[Any]) -> Floats:
    """For each item, how much better `a`'s answer is than `b`'s: nearer, more of it right, or simply right."""
    return item_merits(task, examples, a) - item_merits(task, examples, b)


def item_merits(task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> Floats:
    """How good each answer is: 1 right, 0 wrong, or how near (0 at best for numbers); NaN where it was left out."""
    return np.array([np.nan if output is None else _merit(task, e, output) for e, output in zip(examples, outputs, strict=True)], float)


def _merit(task: Task, example: Example, output: Any) -> float:
    form, gold = KINDS[task.kind].answer.form, example.target
    if form == "number":
        return -abs(float(output) - float(gold))
    if form == "tags":
        return float(np.mean([g == p for g, p in zip(gold, output, strict=True)])) if gold else 0.0
    if form == "text" and task.kind != "analogy":
        return METRICS["rouge-1" if task.kind == "summary" else "token-f1"]([gold], [output])
    return float(output == gold)
