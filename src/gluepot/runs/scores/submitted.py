"""Scoring of predictions at a path: a submission, or the files of a run."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from gluepot.errors import DataMissing
from gluepot.records import Result, Suite, Task
from gluepot.runs.scores.processes import can_fork, map_in_two_processes
from gluepot.runs.scores.scoring import ScoredAnswers, score_pair, score_submission
from gluepot.runs.storage.store import MANIFEST, find_run
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.submissions.reading import ReadPart, Submission, TaskFiles, read_submission

WORTH = 500_000
"""Bytes of predictions above which a second process is worth starting."""


def score_path(
    suite: Suite,
    path: Path,
    *,
    task: Task | None = None,
    split: str | None = None,
    invalid: str = "refuse",
    resamples: int = RESAMPLES,
    fork: bool = False,
) -> Result:
    """Score the predictions at a path, with two processes if this one has no threads and may `fork`."""
    scored: dict[tuple[str, str], ScoredAnswers] = {}

    def read_and_score(places: Sequence[TaskFiles], read: ReadPart) -> Iterable[Submission]:
        def work(found: TaskFiles) -> tuple[Submission, list[ScoredAnswers]]:
            part = read(found)
            scores = [score_pair(paired, resamples) for paired in part.pairs]
            part.pairs = [replace(paired, examples=[], outputs=[]) for paired in part.pairs]
            return part, scores

        many = fork and path.is_dir() and can_fork() and sum(map(_size, places)) > WORTH  # processes would share the position in a zip file
        for part, scores in map_in_two_processes(places, work, _size) if many else map(work, places):
            scored.update(((paired.task.name, paired.split), one) for paired, one in zip(part.pairs, scores, strict=True))
            yield part

    submission = read_submission(suite, path, task=task, split=split, invalid=invalid, read_all=read_and_score)
    if find_run(path) is not None:
        submission.notices = _run_notices(path, submission.notices)
    if submission.unread and not submission.pairs and not submission.problems.count():
        raise DataMissing(submission.unread[0][1])
    return score_submission(suite, submission, score=lambda paired: scored[paired.task.name, paired.split])


def _size(found: TaskFiles) -> int:
    return sum(file.size for _, file in found)


def _run_notices(path: Path, told: list[str]) -> list[str]:
    """Return the notices on a run: none on its files other than predictions, but those on what has changed since it was made."""
    from gluepot.runs.evaluation import SCORES, TIMES  # imports all that makes runs, which submissions need not wait for
    from gluepot.runs.scores.rescoring import path_notices

    kept_beside = (MANIFEST, SCORES, TIMES, "log.txt")
    return [*(notice for notice in told if notice.partition(":")[0] not in kept_beside), *path_notices(path)]
