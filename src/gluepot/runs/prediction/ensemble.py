"""`ensemble:RUN,RUN…`: a model that averages the option scores of runs; only scores of the same measure have a mean."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.data.examples import load_examples
from gluepot.data.folders import find_files, fingerprint
from gluepot.models import CannotSolve
from gluepot.plurals import pluralize
from gluepot.records import PROBABILITY, AnswerTrace, Example, Prediction, Suite, Task
from gluepot.runs.prediction.model_selection.search import require_eligible
from gluepot.runs.storage.fingerprints import member_folders
from gluepot.runs.storage.manifest import read_manifest
from gluepot.runs.storage.store import PredictionFile
from gluepot.submissions.problems import Problems
from gluepot.submissions.run_predictions import pair_predictions
from gluepot.tasks import KINDS

EARLIER = "An earlier version did not say what its scores were: evaluate again."
Voices = list[Prediction]
"""Predictions of the members for one item."""


class Ensemble:
    """Ensemble of all seeds of all runs, equally weighted."""

    def __init__(self, name: str, argument: str, seed: int, suite: Suite, split: str) -> None:
        self.suite, self.split, self.folders = suite, split, member_folders(argument)
        self.manifests = [read_manifest(folder) for folder in self.folders]
        self.members: dict[str, list[dict[str, Prediction]]] = {}

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Do nothing: the members are already trained."""

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        if task.name not in self.members:
            self.members[task.name] = self._members(task)
        members = self.members[task.name]
        found = []
        for example in examples:
            voices = [member[example.id] for member in members if example.id in member]
            if len(voices) < len(members):
                raise CannotSolve(f"ensemble: a run lacks an answer to item {example.id} of {task.name}.")
            found.append(_joined(task, example, voices))
        return found

    def _members(self, task: Task) -> list[dict[str, Prediction]]:
        """Return the answers of every seed of every run, by item; all must have the same data, no problems, and scores of one measure."""
        here, examples = fingerprint(find_files(task, self.split)[1]), load_examples(task, self.split)
        members = []
        for folder, manifest in zip(self.folders, self.manifests, strict=True):
            identity = manifest.identity
            if identity.suite != task.suite or identity.data.get(f"{task.name}/{self.split}") != here:
                raise CannotSolve(f"ensemble: {folder.path} did not answer these items of {task.path}, {self.split}.")
            require_eligible(folder, self.suite, task, self.split)
            for seed in identity.seeds:
                answers = _sound(folder.predictions(task.name, self.split, seed), task, self.split, examples[: identity.limit])
                if not answers:
                    raise CannotSolve(f"ensemble: {folder.path} has no answers to {task.path} with seed {seed}.")
                if not KINDS[task.kind].answer.by_distance and any(p.scores is None for p in answers.values()):
                    raise CannotSolve(f"ensemble: {folder.path} ({identity.model}) kept no probabilities for {task.path}.")
                _check_measure(answers.values(), f"ensemble: {folder.path} ({identity.model})", task)
                members.append(answers)
        _check_same(members, task)
        return members


def _check_measure(answers: Iterable[Prediction], who: str, task: Task) -> None:
    """Require values from 0 to 1 of scores that are probabilities or do not declare their measure."""
    for answer in answers:
        unsaid = not answer.measure and answer.scores is not None
        if answer.scores is None or not (unsaid or answer.measure == PROBABILITY):
            continue
        if not all(0 <= score <= 1 for score in answer.scores):
            raise CannotSolve(f"{who} kept scores for {task.path} that are no probabilities, item {answer.id}. {EARLIER}")


def _check_same(members: Sequence[dict[str, Prediction]], task: Task) -> None:
    found = {answer.measure or PROBABILITY for member in members for answer in member.values() if answer.scores is not None}
    if len(found) > 1:
        raise CannotSolve(f"ensemble: {' and '.join(sorted(found))} have no mean, and the runs' scores for {task.path} are both.")


def _sound(file: PredictionFile, task: Task, split: str, examples: list[Example]) -> dict[str, Prediction]:
    """Return a member's answers by item; raise CannotSolve if the file has problems."""
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


def _joined(task: Task, example: Example, voices: Voices) -> Prediction:
    """Combine the readable predictions; if none is readable, the result is unreadable too."""
    ways = [voice.said for voice in voices if voice.said is not None]
    read = [voice for voice in voices if voice.said is None or voice.said.read]
    said = AnswerTrace(ways[0].way, read=bool(read)) if ways else None
    if not read:
        return Prediction(example.id, voices[0].output, said=said)
    measure = next((voice.measure for voice in read if voice.scores is not None and voice.measure), PROBABILITY)
    return Prediction(example.id, *_pooled(task, example, read), said, measure)


def _pooled(task: Task, example: Example, voices: Voices) -> tuple[Any, list[float] | None]:
    """Return the pooled answer and the mean of the scores; answers without options are pooled by their answer form.

    Unanimous outputs are returned unchanged: stored scores are rounded, and a tie may depend on the lost digits.
    """
    answer, agreed = KINDS[task.kind].answer, all(voice.output == voices[0].output for voice in voices)
    if not (options := answer.options(task, example)):
        output, scores = answer.pool([voice.output for voice in voices], [voice.scores for voice in voices])
        return voices[0].output if agreed else output, scores
    shares = _mean(task, len(options) * (len(example.inputs["tokens"]) if answer.per_token else 1), voices)
    output = voices[0].output if agreed else answer.choose(task, example, shares)
    return output, shares.round(6).tolist() or None


def _mean(task: Task, size: int, voices: Voices) -> NDArray[np.float64]:
    for voice in voices:
        if len(voice.scores or []) != size:
            given = pluralize(len(voice.scores or []), "score")
            message = f"ensemble: {given} for item {voice.id} of {task.path}, where {size:,} are needed."
            raise CannotSolve(message)
    shares: NDArray[np.float64] = np.mean([voice.scores or [] for voice in voices], axis=0)
    return shares
