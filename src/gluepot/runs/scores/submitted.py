"""Scores of predictions by where they lie: a submission, or the files of a run."""

from pathlib import Path

from gluepot.errors import DataMissing
from gluepot.records import Result, Suite, Task
from gluepot.runs.scores.scoring import score_submission
from gluepot.runs.storage.store import MANIFEST, run_at
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.submissions.reading import read_submission


def score_path(
    suite: Suite, path: Path, *, task: Task | None = None, split: str | None = None, invalid: str = "refuse", resamples: int = RESAMPLES
) -> Result:
    """Everything that can be said of the predictions at a path."""
    submission = read_submission(suite, path, task=task, split=split, invalid=invalid)
    if run_at(path) is not None:
        submission.notices = _run_notices(path, submission.notices)
    if submission.unread and not submission.pairs and not submission.problems.count():
        raise DataMissing(submission.unread[0][1])
    return score_submission(suite, submission, resamples)


def _run_notices(path: Path, told: list[str]) -> list[str]:
    """What is told of a run: nothing of the files that it keeps beside its predictions, but what has changed since it was made."""
    from gluepot.runs.evaluation import SCORES, TIMES  # with all that makes runs, which submissions need not wait for
    from gluepot.runs.scores.rescoring import path_notices

    kept_beside = (MANIFEST, SCORES, TIMES, "log.txt")
    return [*(notice for notice in told if notice.partition(":")[0] not in kept_beside), *path_notices(path)]
