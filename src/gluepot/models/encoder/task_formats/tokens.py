"""Format for tagged words: the label is on a word's first piece; sentences that do not fit are split into overlapping stretches."""

import numpy as np

from gluepot.models.encoder.preprocessing.tokenization import Ids, Tokenization
from gluepot.models.encoder.task_formats import TASK_FORMATS, EncodedRows, Floats, TaskFormat, best_of_each, rounded, softmax
from gluepot.records import Example, Prediction


@TASK_FORMATS.register("token-labelling")
class TagFormat(TaskFormat):
    """Format with one tag per word, each predicted by itself, as in the reference implementations."""

    net = "tokens"

    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows:
        tokenization.need_places("token labelling")
        encoded = EncodedRows()
        for number, example in enumerate(examples):
            ids, owners = tokenization.read_words(example.inputs["tokens"]) if example.inputs["tokens"] else (np.array([], np.int32),) * 2
            firsts = np.flatnonzero(np.diff(owners, prepend=-1))
            for start, end, least, most in stretches(len(ids), tokenization.room(pair=False)):
                row = tokenization.join(ids[start:end])
                own = firsts[slice(*np.searchsorted(firsts, (least, most)))]
                encoded.add(number, row, own - start + row.first, owners[own])
            if len(ids) > tokenization.room(pair=False):
                encoded.cut.add(number)
        return encoded

    def gold(self, examples: list[Example], encoded: EncodedRows) -> list[Floats]:
        place = {label: number for number, label in enumerate(self.task.labels)}
        tags = [np.array([place[tag] for tag in example.target], np.float32) for example in examples]
        return [tags[owner][words] for owner, words in zip(encoded.owner, encoded.notes, strict=True)]

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        if not len(example.inputs["tokens"]):
            return Prediction(example.id, [])
        shares = np.zeros((len(example.inputs["tokens"]), self.outputs))
        for output, words in zip(outputs, notes, strict=True):
            shares[words] = softmax(output)
        return Prediction(example.id, [self.task.labels[place] for place in best_of_each(shares)], rounded(shares.ravel()))


def stretches(length: int, room: int) -> list[tuple[int, int, int, int]]:
    """Return start and end of each stretch, and of the part whose tags are taken from it, where it has most context.

    >>> stretches(5, 10), stretches(10, 8)
    ([(0, 5, 0, 5)], [(0, 8, 0, 6), (4, 12, 6, 12)])
    """
    if length <= room:
        return [(0, length, 0, length)]
    step = max(1, room // 2)
    starts = range(0, max(1, length - room + step), step)
    margin = (room - step) // 2
    last = starts[-1]
    return [(s, s + room, s + margin if s else 0, s + room if s == last else s + step + margin) for s in starts]
