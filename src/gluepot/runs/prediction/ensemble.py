"""`ensemble:RUN,RUN…`: the mean of the probabilities that runs kept, as a model of its own."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.data.examples import load_examples
from gluepot.data.folders import find_files, fingerprint
from gluepot.models import CannotSolve
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Task
from gluepot.runs.storage.manifest import member_folders, read_manifest
from gluepot.runs.storage.store import PredictionFile
from gluepot.submissions.problems import Problems
from gluepot.submissions.stored import pair_predictions
from gluepot.tasks import KINDS

Voices = list[Prediction]
"""What each member said of one item."""


class Ensemble:
    """All seeds of all runs, each with the same weight."""

    def __init__(self, runs: str, split: str) -> None:
        self.split, self.folders = split, member_folders(runs)
        self.manifests = [read_manifest(folder) for folder in self.folders]
        self.members: dict[str, list[dict[str, Prediction]]] = {}

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Nothing to learn: the members have."""

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        if task.name not in self.members:
            self.members[task.name] = self._members(task)
        members = self.members[task.name]
        answer = ANSWERS[task.kind if KINDS[task.kind].answer.form == "text" else KINDS[task.kind].answer.form]
        found = []
        for example in examples:
            voices = [member[example.id] for member in members if example.id in member]
            if len(voices) < len(members):
                raise CannotSolve(f"ensemble: a run lacks an answer to item {example.id} of {task.name}.")
            found.append(Prediction(example.id, *answer(task, example, voices)))
        return found

    def _members(self, task: Task) -> list[dict[str, Prediction]]:
        """The answers of every seed of every run, by item; all must be about the same data, sound, and keep probabilities."""
        here, examples = fingerprint(find_files(task, self.split)[1]), load_examples(task, self.split)
        members = []
        for folder, manifest in zip(self.folders, self.manifests, strict=True):
            identity = manifest.identity
            if identity.suite != task.suite or identity.data.get(f"{task.name}/{self.split}") != here:
                raise CannotSolve(f"ensemble: {folder.path} did not answer these items of {task.path}, {self.split}.")
            for seed in identity.seeds:
                answers = _sound(folder.predictions(task.name, self.split, seed), task, self.split, examples[: identity.limit])
                if not answers:
                    raise CannotSolve(f"ensemble: {folder.path} has no answers to {task.path} with seed {seed}.")
                if KINDS[task.kind].answer.form != "number" and any(p.scores is None for p in answers.values()):
                    raise CannotSolve(f"ensemble: {folder.path} ({identity.model}) kept no probabilities for {task.path}.")
                members.append(answers)
        return members


def _sound(file: PredictionFile, task: Task, split: str, examples: list[Example]) -> dict[str, Prediction]:
    """A member's answers by item; a file that somebody has broken is no voice."""
    if not file.exists():
        return {}
    problems = Problems()
    pair_predictions(task, split, examples, file, problems)
    if problems.count():
        first, more = problems.listed()[0], problems.count() - 1
        place = f"{file.path}:{first.line}" if first.line else str(file.path)
        others = f" There {'is' if more == 1 else 'are'} {more:,} more." if more else ""
        raise CannotSolve(f"ensemble: {place}: {first.message}{others}")
    return {line.id: line for line in file if isinstance(line, Prediction)}


def _mean(task: Task, example: Example, voices: Voices) -> NDArray[np.float64]:
    wanted = {"label": len(task.labels), "tags": len(task.labels) * len(example.inputs.get("tokens", ()))}
    size = wanted.get(KINDS[task.kind].answer.form, len(example.inputs.get("options", ())))
    for voice in voices:
        if len(voice.scores or []) != size:
            given = pluralize(len(voice.scores or []), "probability", "probabilities")
            message = f"ensemble: {given} for item {voice.id} of {task.path}, where {size:,} are needed."
            raise CannotSolve(message)
    shares: NDArray[np.float64] = np.mean([voice.scores or [] for voice in voices], axis=0).round(6)
    return shares


def _label(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(task, example, voices)
    return task.labels[int(shares.argmax())], shares.tolist()


def _number(task: Task, example: Example, voices: Voices) -> tuple[Any, None]:
    """The mean of those that answered; left out where all of them left it out."""
    given = [voice.output for voice in voices if voice.output is not None]
    return round(float(np.mean(given)), 5) if given else None, None


def _tags(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float] | None]:
    if not example.inputs["tokens"]:
        return [], None
    shares = _mean(task, example, voices).reshape(-1, len(task.labels))
    return [task.labels[best] for best in shares.argmax(axis=1)], shares.ravel().tolist()


def _index(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(task, example, voices)
    return int(shares.argmax()), shares.tolist()


def _index_set(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(task, example, voices)
    return [number for number, share in enumerate(shares) if share > 0.5], shares.tolist()


def _cloze(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float]]:
    shares = _mean(task, example, voices)
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
