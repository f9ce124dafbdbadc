"""Formats for texts and pairs of texts with one label or one number."""

import numpy as np

from gluepot.answers import NUMBER
from gluepot.models.encoder.preprocessing.tokenization import Ids, Tokenization, TokenizedRow, TokenizedText
from gluepot.models.encoder.preprocessing.truncation import keep_beginning, keep_window, share_room
from gluepot.models.encoder.task_formats import TASK_FORMATS, EncodedRows, Floats, TaskFormat, best, rounded, softmax
from gluepot.records import Example, Prediction

SIDES = {"word-pair": ("first", "second")}
"""The two inputs of a kind where they are not `text` and `pair`."""


@TASK_FORMATS.register("classification")
@TASK_FORMATS.register("pair-classification")
class Labels(TaskFormat):
    """Format that predicts the label with the highest output."""

    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows:
        sides = SIDES.get(self.task.kind, ("text", "pair"))
        texts = tokenization.read(
            [str(example.inputs[side]) for example in examples for side in sides if example.inputs.get(side) is not None]
        )
        encoded = EncodedRows()
        for number, example in enumerate(examples):
            found = [texts[str(example.inputs[side])] for side in sides if example.inputs.get(side) is not None]
            row, cut = joined(tokenization, found[0], found[1] if len(found) > 1 else None)
            encoded.add(number, row)
            if cut:
                encoded.cut.add(number)
        return encoded

    def gold(self, examples: list[Example], encoded: EncodedRows) -> list[Floats]:
        place = {label: number for number, label in enumerate(self.task.labels)}
        return [np.array([place[examples[owner].target]], np.float32) for owner in encoded.owner]

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        shares = softmax(outputs[0][0])
        return Prediction(example.id, self.task.labels[best(shares)], rounded(shares))


@TASK_FORMATS.register("regression")
@TASK_FORMATS.register("word-pair")
class NumberFormat(Labels):
    """Format for a number, standardized by the mean and standard deviation of the training targets."""

    loss = "number"
    mean, spread = 0.0, 1.0

    @property
    def outputs(self) -> int:
        return 1

    def prepare(self, train: list[Example]) -> None:
        targets = np.array([example.target for example in train], float)
        self.mean, self.spread = float(targets.mean()), float(targets.std()) or 1.0

    def state(self) -> dict[str, float]:
        return {"mean": self.mean, "spread": self.spread}

    def restore(self, state: dict[str, float]) -> None:
        self.mean, self.spread = state["mean"], state["spread"]

    def gold(self, examples: list[Example], encoded: EncodedRows) -> list[Floats]:
        return [np.array([(examples[owner].target - self.mean) / self.spread], np.float32) for owner in encoded.owner]

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        value = float(outputs[0][0, 0]) * self.spread + self.mean
        return Prediction(example.id, round(NUMBER.on_scale(self.task, value), 5))


def joined(tokenization: Tokenization, first: TokenizedText, second: TokenizedText | None) -> tuple[TokenizedRow, bool]:
    """Join one or two texts to a row and return whether it is truncated: of two the longer one, to where it shares most with the other."""
    if second is None:
        kept = keep_beginning(len(first), tokenization.room(pair=False))
        return tokenization.join(first.ids[kept]), len(kept) < len(first)
    sizes = share_room(len(first), len(second), tokenization.room(pair=True))
    one, other = keep_window(first.ids, second.ids, sizes[0]), keep_window(second.ids, first.ids, sizes[1])
    return tokenization.join(first.ids[one], second.ids[other]), sizes != (len(first), len(second))
