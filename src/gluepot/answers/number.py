"""Numeric answers, on the task's scale unless it allows others."""

from collections.abc import Sequence
from math import isfinite
from statistics import fmean, median_low
from typing import Any

from gluepot.answers.form import Answer, shown, wrong_type
from gluepot.errors import InvalidOutput
from gluepot.records import Example, Task


class Number(Answer):
    """Finite number on the task's scale, or any finite number if the task allows it."""

    for_none = "the median of the given answers"
    needs = ("scale",)
    by_distance = True

    def gold(self, task: Task, value: Any, inputs: dict[str, Any]) -> float:
        """Return gold as published; `data check` reports values outside the scale."""
        return _finite(value)

    def read(self, task: Task, example: Example, value: Any) -> float:
        number = _finite(value)
        nearest = self.on_scale(task, number)
        if nearest != number and task.scale is not None:
            low, high = task.scale
            hint = f"Write numbers from {low:g} to {high:g}; `--invalid wrong` clips and counts the others."
            raise InvalidOutput("off-scale", f"{shown(value)} is off the scale from {low:g} to {high:g}.", hint, nearest)
        return number

    def on_scale(self, task: Task, number: float) -> float:
        """Clip a number to the task's scale, unless the task allows others."""
        if task.scale is None or task.off_scale:
            return number
        low, high = task.scale
        return min(max(number, low), high)

    def fill(self, task: Task, examples: Sequence[Example], outputs: Sequence[Any]) -> list[Any]:
        """Replace missing answers by the median of the others: an uninformative guess in the middle of all ranks."""
        middle = median_low(output for output in outputs if output is not None)
        return [middle if output is None else output for output in outputs]

    def wrong(self, task: Task, example: Example) -> float:
        low, high = task.scale or (0.0, 1.0)
        return high if abs(high - example.target) >= abs(low - example.target) else low

    def merit(self, target: Any, output: Any) -> float:
        return -abs(float(output) - float(target))

    def constant(self, targets: Sequence[Any]) -> float:
        return fmean(map(float, targets))

    def pool(self, outputs: Sequence[Any], scores: Sequence[Sequence[float] | None]) -> tuple[float | None, None]:
        """Return the mean of the given answers, or None if all are missing."""
        import numpy as np

        given = [output for output in outputs if output is not None]
        return round(float(np.mean(given)), 5) if given else None, None

    def format_output(self, example: Example, output: Any) -> list[str]:
        return [f"{float(output):.3g}"]


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, "a number")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidOutput("not-a-number", "a number beyond all scales.", "Write a number of common size.") from None
    if not isfinite(number):
        raise InvalidOutput("not-a-number", f"{value} is not a finite number.", "Write a number, or drop the item's task.")
    return number
