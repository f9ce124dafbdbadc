"""A task's metric on answers: what ranks a model on a test set also selects its best state on development data."""

from collections.abc import Sequence
from typing import Any

from gluepot.metrics import METRICS
from gluepot.metrics.sample import Sample
from gluepot.records import Example, Task
from gluepot.tasks import KINDS


def make_sample(task: Task, metric: str, examples: Sequence[Example], outputs: Sequence[Any]) -> Sample:
    """The metric's sample, with the columns and options that it asks for."""
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
    """An output as metrics take it: sets and tuples where JSON has lists."""
    return KINDS[task.kind].answer.from_json(output)
