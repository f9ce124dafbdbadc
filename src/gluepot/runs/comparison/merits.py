"""How good each single answer is, so that two systems can be laid side by side item by item."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.records import Example, Task
from gluepot.tasks import KINDS


def item_gains(task: Task, examples: Sequence[Example], a: Sequence[Any], b: Sequence[Any]) -> Floats:
    """For each item, how much better `a`'s answer is than `b`'s: nearer, more of it right, or simply right."""
    return item_merits(task, examples, a) - item_merits(task, examples, b)


def item_merits(task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> Floats:
    """How good each answer is: 1 right, 0 wrong, or how near (0 at best for numbers); NaN where it was left out."""
    merit = KINDS[task.kind].answer.merit
    return np.array([np.nan if output is None else merit(e.target, output) for e, output in zip(examples, outputs, strict=True)], float)
