"""External predictions as a model: read once by the strict reader, then returned item by item."""

from collections.abc import Sequence
from typing import Any

from gluepot.errors import GluepotError
from gluepot.models import CannotSolve
from gluepot.models.names import local_path
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.prediction.model_selection.search import require_eligible
from gluepot.runs.storage.store import RunFolder, find_run, plain
from gluepot.submissions.reading import Submission, read_submission

SHOWN = 20
"""Maximum number of problems shown."""


class ExternalPredictions:
    """`predictions:PATH`: a submission that is evaluated as a run of its own."""

    def __init__(self, name: str, argument: str, seed: int, suite: Suite, split: str) -> None:
        self.path, self.suite, self.split = local_path(argument), suite, split
        self.submission: Submission | None = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Read the submission; raise GluepotError with all its problems together."""
        whole = RunFolder(self.path).exists()  # a run also holds records of its training and its search
        submission = read_submission(self.suite, self.path / "predictions" if whole else self.path, split=self.split)
        if submission.problems.count():
            total, listed = submission.problems.count(), submission.problems.listed()[:SHOWN]
            few = f", {len(listed)} of them shown" if total > len(listed) else ""
            raise GluepotError("\n".join([f"{self.path}: {pluralize(total, 'problem')}{few}.", *map(str, listed)]))
        self.submission = submission

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        answers = self._answers(task)
        return [Prediction(example.id, answers[example.id]) for example in examples]

    def _answers(self, task: Task) -> dict[str, Any]:
        assert self.submission is not None, "fit comes first"
        if run := find_run(self.path):
            require_eligible(run, self.suite, task, self.split)
        for paired in self.submission.pairs:
            if paired.task.name == task.name:
                return {example.id: plain(output) for example, output in zip(paired.examples, paired.outputs, strict=True)}
        raise CannotSolve(f"{self.path} has no predictions for {task.name}.")
