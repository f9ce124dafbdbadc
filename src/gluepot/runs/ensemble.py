"""`ensemble:RUN,RUN…`: the mean of the probabilities that runs kept, as a model of its own."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.data.folders import find_files, fingerprint
from gluepot.errors import GluepotError
from gluepot.models import CannotSolve
from gluepot.records import Example, Prediction, Task
from gluepot.runs.manifest import Manifest
from gluepot.runs.store import MANIFEST, RunFolder
from gluepot.tasks import KINDS

Voices = list[Prediction]
"""What each member said of one item."""


class Ensemble:
    """All seeds of all runs, each with the same weight."""

    def __init__(self, runs: str, split: str) -> None:
        self.split = split
        self.folders = [RunFolder(Path(place.strip())) for place in runs.split(",") if place.strip()]
        self.manifests = [folder.read(MANIFEST, Manifest) for folder in self.folders]

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Nothing to learn: the members have."""

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        members = self._members(task)
        answer = ANSWERS[task.kind if KINDS[task.kind].answer.form == "text" else KINDS[task.kind].answer.form]
        found = []
        for example in examples:
            voices = [member[example.id] for member in members if example.id in member]
            if len(voices) < len(members):
                raise CannotSolve(f"ensemble: a run lacks an answer to item {example.id} of {task.name}.")
            found.append(Prediction(example.id, *answer(task, example, voices)))
        return found

    def _members(self, task: Task) -> list[dict[str, Prediction]]:
        """The answers of every seed of every run, by item; all must be about the same data and keep probabilities."""
        here = fingerprint(find_files(task, self.split)[1])
        members = []
        for folder, manifest in zip(self.folders, self.manifests, strict=True):
            identity = manifest.identity
            if identity.suite != task.suite or identity.data.get(f"{task.name}/{self.split}") != here:
                raise CannotSolve(f"ensemble: {folder.path} did not answer these items of {task.path}, {self.split}.")
            for seed in identity.seeds:
                answers = {p.id: p for p in folder.predictions(task.name, self.split, seed).read()}
                if not answers:
                    raise CannotSolve(f"ensemble: {folder.path} has no answers to {task.path} with seed {seed}.")
                if KINDS[task.kind].answer.form != "number" and any(p.scores is None for p in answers.values()):
                    raise CannotSolve(f"ensemble: {folder.path} ({identity.model}) kept no probabilities for {task.path}.")
                members.append(answers)
        return members


def _mean(voices: Voices) -> NDArray[np.float64]:
    sizes = {len(voice.scores or []) for voice in voices}
    if len(sizes) > 1:
        raise GluepotError(f"ensemble: the runs keep different numbers of probabilities for item {voices[0].id}.")
    shares: NDArray[np.float64] = np.mean([voice.scores or [] for voice in voices], axis=0).round(6)
    return shares


def _label(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(voices)
    return task.labels[int(shares.argmax())], shares.tolist()


def _number(task: Task, example: Example, voices: Voices) -> tuple[Any, None]:
    """The mean of those that answered; left out where all of them left it out."""
    given = [voice.output for voice in voices if voice.output is not None]
    return round(float(np.mean(given)), 5) if given else None, None


def _tags(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float] | None]:
    if not example.inputs["tokens"]:
        return [], None
    shares = _mean(voices).reshape(-1, len(task.labels))
    return [task.labels[best] for best in shares.argmax(axis=1)], shares.ravel().tolist()


def _index(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(voices)
    return int(shares.argmax()), shares.tolist()


def _index_set(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(voices)
    return [number for number, share in enumerate(shares) if share > 0.5], shares.tolist()


def _cloze(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(voices)
    return example.inputs["options"][int(shares.argmax())], shares.tolist()


def _text(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    """Texts have no common options: the one that has most weight behind it, the first of equals."""
    weights: dict[str, float] = defaultdict(float)
    for voice in voices:
        weights[voice.output] += (voice.scores or [1.0])[0] / len(voices)
    best = max(weights, key=lambda text: weights[text])
    return best, [round(weights[best], 6)]


ANSWERS: dict[str, Any] = {
    "label": _label,
    "number": _number,
    "tags": _tags,
    "index": _index,
    "index-set": _index_set,
    "cloze": _cloze,
    "span-answer": _text,
    "summary": _text,
    "analogy": _text,
}
"""By form of answer, or by kind where that is a text."""
