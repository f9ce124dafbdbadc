"""Application of a task's metrics to answers, for scoring and for model selection on development data."""

from collections.abc import Sequence
from typing import Any

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Sample
from gluepot.records import Example, Task
from gluepot.tasks import KINDS


def make_sample(task: Task, metric: str, examples: Sequence[Example], outputs: Sequence[Any]) -> Sample:
    """Return the sample of a metric, with the extra columns and options that it needs."""
    declared = METRICS[metric]
    extras: dict[str, Any] = dict(task.metric_options.get(metric, {}))
    if "options" in declared.needs:
        extras["options"] = [len(example.inputs["options"]) for example in examples]
    if "groups" in declared.needs:
        extras["groups"] = [example.group for example in examples]
    if "labels" in declared.needs:
        extras["labels"] = KINDS[task.kind].answer.classes(task)
    gold = [example.target for example in examples]
    return declared.sample(gold, outputs, **extras)


def as_answer(task: Task, output: Any) -> Any:
    """Convert an output to the form that metrics take: sets and tuples instead of JSON lists."""
    return KINDS[task.kind].answer.from_json(output)
