"""Scoring of predictions in memory or on disk."""

from pathlib import Path
from typing import Any, Literal

from gluepot.bounds import check_counts
from gluepot.errors import GluepotError
from gluepot.library.loading import Place, resolve
from gluepot.records import Result, count_problems
from gluepot.runs.scores.scoring import score_submission
from gluepot.runs.scores.submitted import score_path
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.submissions.in_memory import read_predictions

SHOWN = 10


class InvalidPredictions(GluepotError):
    """Invalid predictions; `result` has all problems and the scores of the tasks without problems."""

    def __init__(self, result: Result) -> None:
        self.result = result
        count = count_problems(result.problems)
        more = [f"… {count - SHOWN:,} more"] if count > SHOWN else []
        super().__init__("\n  ".join([f"{count:,} {'problem' if count == 1 else 'problems'}.", *map(str, result.problems[:SHOWN]), *more]))


def score(
    place: Place,
    predictions: Any,
    *,
    split: str | None = None,
    invalid: Literal["refuse", "wrong"] = "refuse",
    resamples: int = RESAMPLES,
    name: str = "predictions",
) -> Result:
    """Score predictions: every metric with its 95 % confidence interval, like `gluepot score`.

    `place` is a task or a suite. Predictions are a path (a submission in the suite's format, or a run), a mapping from ids to
    answers, a list of answers in the order of the data, records with `id` and `prediction`, or a data frame with these columns;
    for a suite, a mapping from tasks to any of these. All problems are raised together as `InvalidPredictions`;
    `invalid="wrong"` counts an answer outside the label set as wrong instead.

    >>> from gluepot import load_examples, score
    >>> answers = {example.id: "neutral" for example in load_examples("pocket/stance-sv", "test")}
    >>> [(row.metric, row.value, row.n) for row in score("pocket/stance-sv", answers).scores][1]
    ('accuracy', 0.35, 40)
    """
    check_counts(resamples=resamples)
    suite, task = resolve(place)
    if isinstance(predictions, str | Path):
        result = score_path(suite, Path(predictions), task=task, split=split, invalid=invalid, resamples=resamples)
    else:
        submission = read_predictions(suite, task, split or suite.score_split, predictions, name, invalid)
        result = score_submission(suite, submission, resamples)
    if result.problems:
        raise InvalidPredictions(result)
    return result
