"""Formats for items with options: one row per option, with the question and, where there is one, the passage."""

import numpy as np
from numpy.typing import NDArray

from gluepot.models.encoder.preprocessing.tokenization import Ids, Tokenization
from gluepot.models.encoder.task_formats import TASK_FORMATS, EncodedRows, Floats, TaskFormat, best, rounded, sigmoid, softmax
from gluepot.models.encoder.task_formats.texts import joined
from gluepot.models.protocols import Settings
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

GAP = "@placeholder"


class OptionsFormat(TaskFormat):
    """Base of the formats with options: their rows."""

    @property
    def outputs(self) -> int:
        return 1

    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows:
        rows = [self.sides(example) for example in examples]
        texts = tokenization.read([side for sides in rows for pair in sides for side in pair])
        encoded = EncodedRows()
        for number, sides in enumerate(rows):
            for first, second in sides:
                row, cut = joined(tokenization, texts[first], texts[second])
                encoded.add(number, row)
                if cut:
                    encoded.cut.add(number)
        return encoded

    def sides(self, example: Example) -> list[tuple[str, str]]:
        """Return the two texts of each option's row."""
        context, text, options = str(example.inputs.get("context") or ""), example.inputs["text"], example.inputs["options"]
        if question := self.task.context_words.get(context):
            return [(f"{text} {question}", option) for option in options]
        if context:
            return [(context, f"{text} {option}") for option in options]
        return [(text, option) for option in options]

    def gold(self, examples: list[Example], encoded: EncodedRows) -> list[Floats]:
        flags = []
        for number, rows in enumerate(encoded.by_example(len(examples))):
            right = KINDS[self.task.kind].answer.right_options(examples[number])
            flags += [np.array([float(option in right)], np.float32) for option in range(len(rows))]
        return flags


@TASK_FORMATS.register("choice")
class ChoiceFormat(OptionsFormat):
    """Format that predicts the option with the highest output; trained against the others, or independently where the protocol says so."""

    def __init__(self, task: Task, settings: Settings) -> None:
        super().__init__(task, settings)
        self.grouped = settings.choice == "softmax"
        self.loss = "one-of-group" if self.grouped else "right"

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        shares = self.shares(outputs)
        return Prediction(example.id, best(shares), rounded(shares))

    def shares(self, outputs: list[Floats]) -> NDArray[np.float64]:
        return softmax(np.array([output[0, 0] for output in outputs], np.float32))


@TASK_FORMATS.register("multi-choice")
class MultiChoice(OptionsFormat):
    """Format that predicts all options that are more likely right than wrong."""

    loss = "right"

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        shares = sigmoid(np.array([output[0, 0] for output in outputs], np.float32))
        return Prediction(example.id, [number for number, share in enumerate(shares) if round(share, 6) > 0.5], rounded(shares))


@TASK_FORMATS.register("cloze")
class Cloze(ChoiceFormat):
    """Format with each entity filled into the gap of the query, beside the passage."""

    def sides(self, example: Example) -> list[tuple[str, str]]:
        query = example.inputs["text"]
        return [(example.inputs["context"], _filled(query, entity)) for entity in example.inputs["options"]]

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        if not outputs:
            return Prediction(example.id, "")
        shares = self.shares(outputs)
        return Prediction(example.id, example.inputs["options"][best(shares)], rounded(shares))


def _filled(query: str, entity: str) -> str:
    return query.replace(GAP, entity) if GAP in query else f"{query} {entity}"
