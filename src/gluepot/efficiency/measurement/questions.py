"""Questions of a measurement and checks of their answers: the items of a split, repeated up to the requested number."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from gluepot.efficiency.run_records import MeasuredQuality
from gluepot.errors import GluepotError
from gluepot.models.command import question, read_answer
from gluepot.plurals import pluralize
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.prediction.jobs import question_of
from gluepot.runs.scores.scoring import score_submission
from gluepot.submissions.reading import Submission
from gluepot.submissions.run_predictions import pair_predictions

LONGEST_LINE = 16 * 1024**2


@dataclass
class TimedQuestions:
    """The items of a split as lines for a program; repeated items have ids of their own."""

    task: Task
    examples: Sequence[Example]
    seed: int = 0
    first: dict[str, Any] = field(default_factory=dict)
    """First answer to each item."""
    again: int = 0
    different: int = 0
    """Number of later answers to the same items, and of those that differ."""

    def cycle(self, count: int) -> list[Example]:
        size = len(self.examples)
        return [_named(self.examples[number % size], number // size) for number in range(count)]

    def lines(self, count: int) -> list[bytes]:
        return [question(self.task, question_of(self.task, example), self.seed) for example in self.cycle(count)]

    def check(self, output: bytes, count: int) -> str:
        """Return why an output is not `count` valid answers, or an empty string; answers are compared with the first ones."""
        lines = output.split(b"\n")
        if lines and not lines[-1].strip():
            lines.pop()
        if len(lines) != count:
            return f"it answered {len(lines):,} of {pluralize(count, 'record')}."
        size = len(self.examples)
        for number, (line, example) in enumerate(zip(lines, self.cycle(count), strict=True), start=1):
            if len(line) > LONGEST_LINE:
                return f"line {number} of its output is longer than {LONGEST_LINE // 1024**2} MB."
            try:
                answer = read_answer(line, number, example).output
            except GluepotError as error:
                return str(error)
            self._compare(self.examples[(number - 1) % size].id, answer)
        return ""

    def _compare(self, name: str, answer: Any) -> None:
        if name not in self.first:
            self.first[name] = answer
            return
        self.again += 1
        self.different += self.first[name] != answer


def _named(example: Example, cycle: int) -> Example:
    return replace(example, id=f"{example.id}~{cycle + 1}") if cycle else example


def score_answers(suite: Suite, questions: TimedQuestions, split: str) -> MeasuredQuality:
    """Score the timed answers by the metric that ranks."""
    submission = Submission("measured")
    asked = [example for example in questions.examples if example.id in questions.first]
    lines = [Prediction(example.id, questions.first[example.id]) for example in asked]
    paired = pair_predictions(questions.task, split, list(asked), lines, submission.problems)
    submission.pairs.append(paired)
    result = score_submission(suite, submission)
    metric = questions.task.metrics[0]
    reason = next((str(problem) for problem in result.problems), "")
    row = next((score for score in result.scores if score.metric == metric and not score.slice), None)
    differing = questions.different / questions.again if questions.again else 0.0
    partial = len(asked) < len(questions.examples)
    if row is None or row.value is None:
        why = reason or (str(row.reason) if row is not None and row.reason else "no score")
        return MeasuredQuality(metric, None, None, None, len(asked), split, partial, why, differing)
    return MeasuredQuality(metric, row.value, row.low, row.high, row.n, split, partial, reason, differing)
