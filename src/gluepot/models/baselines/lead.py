"""Lead baseline: the first sentences of a text as its summary."""

from collections.abc import Sequence
from statistics import fmean

from gluepot.answers import SUMMARY
from gluepot.answers.text import LONGEST_TEXT
from gluepot.models import CannotSolve
from gluepot.models.features.terms import sentences
from gluepot.records import Example, Prediction, Task

UNTAUGHT = 3
"""Sentences without training data; the usual lead baseline."""
MOST = 10
"""Maximum number of sentences in a lead."""


class LeadBaseline:
    """Lead baseline with the number of sentences whose mean length is nearest to that of the training summaries."""

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name = name
        self.count = UNTAUGHT

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        if task.kind != "summary":
            raise CannotSolve(f"{self.name}: {task.path} is a task of the kind {task.kind}; first sentences answer summaries only.")
        known = [example for example in train if example.target]
        if known:
            summaries = [SUMMARY.accepted(example.target)[0] for example in known]
            self.count = best_count([example.inputs["text"] for example in known], summaries)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        return [Prediction(example.id, lead(example.inputs["text"], self.count)) for example in examples]


def lead(text: str, count: int) -> str:
    """Return the first sentences of a text.

    >>> lead("Lim kokar. Det luktar. Ingen klagar.", 2)
    'Lim kokar. Det luktar.'
    """
    return " ".join(sentences(text)[:count])[:LONGEST_TEXT]


def best_count(texts: Sequence[str], summaries: Sequence[str]) -> int:
    """Return the number of first sentences whose mean length is nearest to that of the summaries.

    >>> best_count(["One two. Three four. Five six."], ["Five words in all here."])
    2
    """
    wanted = fmean(len(summary.split()) for summary in summaries)
    leads = [[len(sentence.split()) for sentence in sentences(text)[:MOST]] for text in texts]
    return min(range(1, MOST + 1), key=lambda count: abs(fmean(sum(lengths[:count]) for lengths in leads) - wanted))
