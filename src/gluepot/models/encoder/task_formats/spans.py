"""Format for answers that are spans of a passage: windows over it, the twenty best starts by the twenty best ends, against no answer."""

import numpy as np

from gluepot.answers import TEXT
from gluepot.models.encoder.preprocessing.tokenization import Ids, Tokenization
from gluepot.models.encoder.task_formats import TASK_FORMATS, EncodedRows, Floats, TaskFormat, sigmoid
from gluepot.records import Example, Prediction

BEST = 20
LONGEST = 30
"""Maximum pieces of an answer."""


@TASK_FORMATS.register("span-answer")
class SpanFormat(TaskFormat):
    """Format for answer spans. Marks are the first token, which means no answer, and the passage's pieces; notes their characters."""

    net = "answer"
    loss = "one-of-row"

    @property
    def outputs(self) -> int:
        return 2

    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows:
        tokenization.need_places("an answer in a passage")
        texts = tokenization.read([example.inputs[side] for example in examples for side in ("text", "context")])
        encoded = EncodedRows()
        for number, example in enumerate(examples):
            question, passage = texts[example.inputs["text"]], texts[example.inputs["context"]]
            question = question.only(np.arange(min(len(question), tokenization.max_length // 2)))
            room = tokenization.room(pair=True) - len(question)
            for start in range(0, max(1, len(passage) - tokenization.max_length // 4), max(1, room - tokenization.max_length // 4)):
                window = passage.only(np.arange(start, min(start + room, len(passage))))
                row = tokenization.join(question.ids, window.ids)
                places = np.concatenate([np.zeros((1, 2), np.int32), window.places])
                encoded.add(number, row, np.concatenate([[0], np.arange(len(window)) + row.second]), places)
            if len(passage) > room:
                encoded.cut.add(number)
        return encoded

    def gold(self, examples: list[Example], encoded: EncodedRows) -> list[Floats]:
        return [_flags(places, *find_answer(examples[owner])) for owner, places in zip(encoded.owner, encoded.notes, strict=True)]

    def answer(self, example: Example, outputs: list[Floats], notes: list[Ids]) -> Prediction:
        null = min(float(output[0].sum()) for output in outputs)
        best, text = -np.inf, ""
        for output, places in zip(outputs, notes, strict=True):
            score, start, end = best_span(output)
            if score > best and start:
                best, text = score, example.inputs["context"][places[start, 0] : places[end, 1]].strip()
        sure = float(sigmoid(np.array(best - null, np.float32)))
        return Prediction(example.id, text if best > null else "", [round(max(sure, 1 - sure), 6)])


def best_span(output: Floats) -> tuple[float, int, int]:
    """Return the highest sum of a start and an end in order and near enough, with their places; start 0 if there is none."""
    starts, ends = (1 + np.argsort(-output[1:, side], kind="stable")[:BEST] for side in (0, 1))
    found = (-np.inf, 0, 0)
    for start in starts:
        for end in ends:
            score = float(output[start, 0] + output[end, 1])
            if start <= end < start + LONGEST and score > found[0]:
                found = (score, int(start), int(end))
    return found


def find_answer(example: Example) -> tuple[int, int]:
    """Return the characters of a gold answer: from the data, or its first occurrence; (0, 0) if it is not in the passage."""
    gold = TEXT.accepted(example.target)
    told = example.inputs.get("answer-start")
    starts = told if isinstance(told, list) else [told] * len(gold)
    context: str = example.inputs["context"]
    for answer, start in zip(gold, starts, strict=False):
        if answer and isinstance(start, int) and context[start : start + len(answer)] == answer:
            return start, start + len(answer)
    for answer in gold:
        if answer and (start := context.find(answer)) >= 0:
            return start, start + len(answer)
    return 0, 0


def _flags(places: Ids, start: int, end: int) -> Floats:
    """Flag the marks of start and end: the first mark if the answer is not whole in this window."""
    flags = np.zeros((len(places), 2), np.float32)
    inside = 1 + np.flatnonzero((places[1:, 0] < end) & (places[1:, 1] > start))
    whole = len(inside) and places[inside[0], 0] <= start and places[inside[-1], 1] >= end
    flags[inside[0] if whole else 0, 0] = 1
    flags[inside[-1] if whole else 0, 1] = 1
    return flags
