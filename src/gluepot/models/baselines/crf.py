"""Conditional random field for token labelling, with the features of `features.tokens` and tag transitions."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gluepot.models import CannotSolve
from gluepot.models.features.tokens import sentence_features
from gluepot.records import Example, Prediction, Task

SETTINGS = {"c1": 0.1, "c2": 0.1, "max_iterations": 80, "feature.possible_transitions": True}
"""Chosen on the val splits of NERC and slot; doubling or halving either penalty changes span-f1 by less than 0.01."""


class Crf:
    """Conditional random field trained by L-BFGS, which is deterministic: the seed has no effect."""

    def __init__(self, name: str, argument: str, seed: int) -> None:
        self.name = name
        self.model = b""
        self.tagger: Any = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        if task.kind != "token-labelling":
            raise CannotSolve(f"{self.name}: {task.path} is a task of the kind {task.kind}; a CRF tags tokens only.")
        known = [example for example in train if example.target]
        if not known:
            raise CannotSolve(f"{self.name}: {task.path} has no training data that it could learn from.")
        self.model, self.tagger = _train(known), None

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        self.tagger = self.tagger or _open(self.model)
        return [Prediction(example.id, self.tagger.tag(sentence_features(example.inputs["tokens"]))) for example in examples]


def _train(examples: Sequence[Example]) -> bytes:
    """Train a model and return its bytes; the library can only write it to a file."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=SETTINGS, verbose=False)
    for example in examples:
        trainer.append(sentence_features(example.inputs["tokens"]), list(example.target))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.crf"
        trainer.train(str(path))
        return path.read_bytes()


def _open(model: bytes) -> Any:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return tagger
