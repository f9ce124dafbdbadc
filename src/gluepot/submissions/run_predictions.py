"""Predictions that gluepot stored itself, paired with their items by the same strict code that takes strangers' files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from gluepot.data.examples import Shape
from gluepot.data.folders import find_files
from gluepot.records import Example, Prediction, Task
from gluepot.strict_json import OddLineError
from gluepot.submissions.pairing import PairedAnswers, Pairing
from gluepot.submissions.pairing.answering import Answering, Budget
from gluepot.submissions.pairing.items import ItemPairing
from gluepot.submissions.problems import Problems
from gluepot.tasks.formats import FORMATS

NOT_RANKED = "people's answers are shown, not ranked"
Line = Prediction | OddLineError | None
"""What a line holds: a prediction, what is wrong with it, or nothing."""


def pair_predictions(task: Task, split: str, examples: list[Example], lines: Iterable[Line], problems: Problems) -> PairedAnswers:
    """The answers in the items' order; what is wrong with them is a problem, but a text in which no answer was found is a wrong answer.

    The lines are gone through twice, one at a time: a file may hold more than memory does.
    """
    form, file = FORMATS["jsonl"], f"{task.name}/{split}.jsonl"
    invalid = "wrong" if any(isinstance(line, Prediction) and line.said and not line.said.read for line in lines) else "refuse"
    items = ItemPairing(Shape(task, find_files(task, split)[0]), examples, form, [])
    pairing = Pairing(items, Answering(task, form, invalid, Budget()), file, problems)
    pairing.take_all(_rows(lines, file, problems))
    return pairing.finish(split)


def pair_chosen(task: Task, split: str, examples: list[Example], lines: Iterable[Line], problems: Problems) -> PairedAnswers:
    """The answers to those items that were asked; the others have none, and what they score never ranks."""
    asked = {line.id for line in lines if isinstance(line, Prediction)}
    paired = pair_predictions(task, split, [example for example in examples if example.id in asked], lines, problems)
    answers = {example.id: output for example, output in zip(paired.examples, paired.outputs, strict=True)}
    outputs = [answers.get(example.id) for example in examples]
    return replace(paired, examples=examples, outputs=outputs, chosen=True, unranked=NOT_RANKED)


def _rows(lines: Iterable[Line], file: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any] | None]]:
    for number, line in enumerate(lines, start=1):
        if isinstance(line, Prediction):
            yield number, {"id": line.id, "prediction": line.output}
        elif line is not None:
            problems.add(line.code, str(line), file=file, line=number, hint=line.hint)
            yield number, None
