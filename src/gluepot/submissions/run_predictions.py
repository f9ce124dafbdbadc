"""Predictions stored by gluepot, paired with their items by the same strict code as untrusted files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from gluepot.data.examples import Shape
from gluepot.data.folders import find_files
from gluepot.records import Example, Prediction, Task
from gluepot.strict_json import InvalidLineError
from gluepot.submissions.pairing import PairedAnswers, Pairing
from gluepot.submissions.pairing.answering import Answering, Budget
from gluepot.submissions.pairing.items import ItemPairing
from gluepot.submissions.problems import Problems
from gluepot.tasks.formats import FORMATS

NOT_RANKED = "people's answers are shown, not ranked"
Line = Prediction | InvalidLineError | None
"""Content of a line: a prediction, its fault, or nothing."""


def pair_predictions(task: Task, split: str, examples: list[Example], lines: Iterable[Line], problems: Problems) -> PairedAnswers:
    """Pair lines with items, in the items' order; faults are problems, but a text without a readable answer is a wrong answer.

    The lines are read twice, one at a time: a file may be larger than memory.
    """
    form, file = FORMATS["jsonl"], f"{task.name}/{split}.jsonl"
    invalid = "wrong" if any(isinstance(line, Prediction) and line.said and not line.said.read for line in lines) else "refuse"
    items = ItemPairing(Shape(task, find_files(task, split)[0]), examples, form, [])
    pairing = Pairing(items, Answering(task, form, invalid, Budget()), file, problems)
    pairing.take_all(_rows(lines, file, problems))
    return pairing.finish(split)


def pair_chosen(task: Task, split: str, examples: list[Example], lines: Iterable[Line], problems: Problems) -> PairedAnswers:
    """Pair the answers with the items that were posed; the others have none, and such scores never rank."""
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
