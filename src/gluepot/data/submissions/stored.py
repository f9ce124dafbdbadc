"""Predictions that gluepot stored itself, paired with their items by the same strict code that takes strangers' files."""

from collections.abc import Iterable

from gluepot.data.examples import Shape
from gluepot.data.folders import find_files
from gluepot.data.submissions.answering import Answering, Budget
from gluepot.data.submissions.formats import FORMATS
from gluepot.data.submissions.items import Items
from gluepot.data.submissions.pairing import Paired, Pairing
from gluepot.data.submissions.problems import Problems
from gluepot.records import Example, Prediction, Task


def pair_predictions(task: Task, split: str, examples: list[Example], predictions: Iterable[Prediction], problems: Problems) -> Paired:
    """The answers in the items' order; what is wrong with them is a problem, but a text in which no answer was found is a wrong answer."""
    form = FORMATS["jsonl"]
    predictions = list(predictions)
    invalid = "wrong" if any(p.said and not p.said.read for p in predictions) else "refuse"
    items = Items(Shape(task, find_files(task, split)[0]), examples, form, [])
    pairing = Pairing(items, Answering(task, form, invalid, Budget()), f"{task.name}/{split}.jsonl", problems)
    pairing.take_all((line, {"id": p.id, "prediction": p.output}) for line, p in enumerate(predictions, start=1))
    return pairing.finish(split)
