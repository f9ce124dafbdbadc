"""TF-IDF baseline of Russian SuperGLUE, task by task as its publishers define it.

TF-IDF over space-joined fields and logistic regression for labels and single choices; the options or entities nearest to the
passage for multiple choices and cloze. The publishers' vocabulary comes from texts that are not part of the suite; here it is
the 10,000 most frequent words of the training data, which comes nearest to their figures.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluepot.models import CannotSolve
from gluepot.models.features.cloze import GAP, entities
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS

VOCABULARY = 10_000
RIGHT_ANSWERS = 2
"""MuSeRC: number of options predicted to be right, however many are."""
ASKED = {"cause": "Что было ПРИЧИНОЙ этого?", "effect": "Что случилось в РЕЗУЛЬТАТЕ?"}
"""PARus: the questions in words."""
Joined = Callable[[dict[str, Any]], list[str]]
FIELDS: dict[str, Joined] = {
    "pair-classification": lambda inputs: [inputs["text"], inputs["pair"]],
    "word-in-context": lambda inputs: [inputs["text"], inputs["pair"], inputs["word"]],
    "coreference": lambda inputs: [inputs["text"], inputs["first"], inputs["second"]],
    "choice": lambda inputs: [inputs["text"], ASKED.get(inputs["context"], inputs["context"]), *inputs["options"]],
    "multi-choice": lambda inputs: [inputs["context"], inputs["text"], *inputs["options"]],
    "cloze": lambda inputs: [inputs["context"], inputs["text"]],
}
WITHOUT_PASSAGE = ("DaNetQA",)
"""Tasks of which the baseline reads the question only."""


class RussianBaseline:
    """Baseline that the suite's publishers call "Baseline TF-IDF"."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.vectorizer: Any = None
        self.classifier: Any = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        from sklearn.dummy import DummyClassifier
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression

        known = [example for example in train if example.target is not None]
        if not known or task.kind not in FIELDS:
            raise CannotSolve(f"tfidf-logistic: {task.path} has no training data for the suite's own baseline.")
        texts = [joined(task, example) for example in known]
        self.vectorizer = TfidfVectorizer(max_features=VOCABULARY).fit(texts)
        if KINDS[task.kind].answer.categorical:
            targets = [str(example.target) for example in known]
            classifier = LogisticRegression(random_state=self.seed, max_iter=1_000) if len(set(targets)) > 1 else DummyClassifier()
            self.classifier = classifier.fit(self.vectorizer.transform(texts), targets)

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        if task.kind == "multi-choice":
            return [Prediction(example.id, self._two_nearest(example)) for example in examples]
        if task.kind == "cloze":
            return [Prediction(example.id, self._nearest_entity(example)) for example in examples]
        return self._classified(task, examples)

    def _classified(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        if not examples:
            return []
        rows = self.classifier.predict_proba(self.vectorizer.transform([joined(task, example) for example in examples]))
        return [self._answer(task, example, row) for example, row in zip(examples, rows.tolist(), strict=True)]

    def _answer(self, task: Task, example: Example, row: list[float]) -> Prediction:
        known = dict(zip(self.classifier.classes_.tolist(), row, strict=True))
        options = task.labels if task.kind != "choice" else [str(number) for number in range(len(example.inputs["options"]))]
        scores = [known.get(option, 0.0) for option in options]
        best = scores.index(max(scores))
        return Prediction(example.id, best if task.kind == "choice" else options[best], scores)

    def _two_nearest(self, example: Example) -> list[int]:
        question, options = example.inputs["text"], example.inputs["options"]
        near = self._cosines(example.inputs["context"], [f"{question} {option}" for option in options])
        return sorted(np.argsort(-near, kind="stable")[:RIGHT_ANSWERS].tolist())

    def _nearest_entity(self, example: Example) -> str:
        names = entities(example)
        near = self._cosines(example.inputs["context"], [example.inputs["text"].replace(GAP, name) for name in names])
        return names[int(near.argmax())]

    def _cosines(self, passage: str, texts: list[str]) -> Any:
        """Return the cosine of the passage with each text; rows have length 1 already."""
        rows = self.vectorizer.transform([passage, *texts])
        return (rows[1:] @ rows[0].T).toarray().ravel()


def joined(task: Task, example: Example) -> str:
    """Join the fields that the baseline reads, in its order."""
    inputs = example.inputs
    if task.name in WITHOUT_PASSAGE:
        return str(inputs["text"]).strip()
    return " ".join(str(field).strip() for field in FIELDS[task.kind](inputs))
