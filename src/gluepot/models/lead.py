"""The lead of a text as its summary: news say the main thing first."""

import re
from collections.abc import Sequence
from statistics import fmean

from gluepot.models import CannotSolve
from gluepot.records import Example, Prediction, Task

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[^\s\W\d_]|[«\"“(\d])")


class Lead:
    """The first sentences, as many as come nearest to the usual length of a summary."""

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.words = 30.0

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        if task.kind != "summary":
            raise CannotSolve(f"lead is for summaries; {task.path} is a {task.kind} task.")
        known = train or dev
        if known:
            self.words = fmean(len(str(example.target).split()) for example in known)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        return [Prediction(example.id, lead(example.inputs["text"], self.words)) for example in examples]


def lead(text: str, words: float) -> str:
    """First sentences of about so many words, one at least.

    >>> lead("Det regnar. Det blåser också. Ingen går ut.", 4)
    'Det regnar. Det blåser också.'
    """
    sentences = _SENTENCE_END.split(text.strip())
    taken, length = [sentences[0]], len(sentences[0].split())
    for sentence in sentences[1:]:
        size = len(sentence.split())
        if abs(length + size - words) >= abs(length - words):
            break
        taken.append(sentence)
        length += size
    return " ".join(taken)
