"""Detection of near-copies and label probing: compares a submission with earlier ones and flags suspicions for moderators."""

from collections.abc import Iterable
from statistics import median
from typing import Any

from gluepot.board.submitting.models import AnswerVector, Suspicion, Upload
from gluepot.board.submitting.scoring.answer_vectors import Vector, agreement, agreement_beyond_chance, unpacked, vector_of
from gluepot.board.submitting.scoring.published_copies import published_copies
from gluepot.records import Suite
from gluepot.submissions.reading import Submission

SAME = 0.995
"""Minimum share of equal answers of near-copies."""
FEWEST = 20
"""Minimum number of items; agreement on fewer is not evidence."""
LATEST = 2_000
"""Maximum number of other teams' earlier submissions compared per task, newest first."""
FLIPS, FLIPPED = 3, 5
"""Maximum number of differing answers between two submissions of a team that may probe for single labels, and the number of such
submissions that is no accident."""
RANDOM, NEAR_CHANCE = 8, 0.1
"""Number of submissions of a team that is no accident if their median agreement (kappa) is below the second value, as good as
independent: systems that know something agree because they are right."""


def detect_suspicions(upload: Upload, suite: Suite, submission: Submission) -> None:
    """Store the answer vectors of a submission and flag suspicions; idempotent."""
    copied: dict[int, dict[str, float]] = {}
    taken: dict[str, dict[str, float]] = {}
    probed: dict[str, str] = {}
    for paired in submission.pairs:
        if paired.split != suite.score_split or not paired.sound:
            continue
        place, vector = f"{suite.name}/{suite.version}/{paired.task.name}/{paired.split}", vector_of(paired)
        AnswerVector.objects.update_or_create(upload=upload, task=place, defaults={"team_id": upload.team_id, "answers": vector.tobytes()})
        if len(vector) < FEWEST or len(set(vector.tolist())) == 1:  # all majority baselines are identical
            continue
        earlier = AnswerVector.objects.filter(task=place).exclude(upload=upload).order_by("-pk")
        for other, share in _copies(vector, earlier.exclude(team=upload.team_id)[:LATEST]):
            copied.setdefault(other, {})[paired.task.name] = round(share, 4)
        for slug, share in published_copies(suite, paired, vector, SAME):
            taken.setdefault(slug, {})[paired.task.name] = round(share, 4)
        if pattern := probing_pattern(vector, [unpacked(one.answers) for one in earlier.filter(team=upload.team_id)[:100]]):
            probed[paired.task.name] = pattern
    for other, tasks in copied.items():
        _flag(upload, Suspicion.Kind.COPY, {"tasks": tasks}, other)
    for slug, tasks in taken.items():
        _flag(upload, Suspicion.Kind.COPY, {"tasks": tasks, "system": slug})
    if probed:
        _flag(upload, Suspicion.Kind.PROBING, {"tasks": probed})


def _copies(vector: Vector, others: Iterable[AnswerVector]) -> list[tuple[int, float]]:
    shares = ((other.upload_id, agreement(vector, unpacked(other.answers))) for other in others)
    return [(upload, share) for upload, share in shares if share >= SAME]


def probing_pattern(vector: Vector, earlier: list[Vector]) -> str:
    """Return a description of how a team's submissions probe for labels; empty if they do not."""
    same = [one for one in earlier if len(one) == len(vector)]
    flips = sum(0 < int((one != vector).sum()) <= FLIPS for one in same)
    if flips >= FLIPPED:
        return f"{flips} earlier submissions differ in at most {FLIPS} answers"
    if len(same) >= RANDOM - 1 and median(agreement_beyond_chance(vector, one) for one in same) < NEAR_CHANCE:
        return f"{len(same)} earlier submissions agree with it no more than by chance"
    return ""


def _flag(upload: Upload, kind: str, details: dict[str, Any], other: int | None = None) -> None:
    same = {"details__system": details["system"]} if "system" in details else {}
    Suspicion.objects.get_or_create(upload=upload, kind=kind, other_id=other, **same, defaults={"details": details})
