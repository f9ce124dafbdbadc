"""Merit of each single answer, for comparing two systems item by item."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluepot.metrics.sample import Floats
from gluepot.records import Example, Task
from gluepot.tasks import KINDS


def item_gains(task: Task, examples: Sequence[Example], a: Sequence[Any], b: Sequence[Any]) -> Floats:
    """Return the gain of `a`'s answer over `b`'s for each item: closer, more of it right, or simply right."""
    return item_merits(task, examples, a) - item_merits(task, examples, b)


def item_merits(task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> Floats:
    """Return the merit of each answer: 1 right, 0 wrong, or its closeness (0 at best for numbers); NaN if it was skipped."""
    merit = KINDS[task.kind].answer.merit
    return np.array([np.nan if output is None else merit(e.target, output) for e, output in zip(examples, outputs, strict=True)], float)
