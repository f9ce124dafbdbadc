"""Compares what a submission answers with what others and its own team answered before, and tells moderators what is odd."""

from collections.abc import Iterable
from statistics import median
from typing import Any

from gluepot.board.submitting.models import AnswerVector, Suspicion, Upload
from gluepot.board.submitting.scoring.answer_vectors import Vector, agreement, agreement_beyond_chance, unpacked, vector_of
from gluepot.board.submitting.scoring.published_copies import published_copies
from gluepot.records import Suite
from gluepot.submissions.reading import Submission

SAME = 0.995
"""The share of equal answers from which on two submissions are nearly the same."""
FEWEST = 20
"""Items below which that says nothing."""
LATEST = 2_000
"""Earlier submissions to a task that are compared."""
FLIPS, FLIPPED = 3, 5
"""Answers in which two submissions of a team differ that ask for single labels, and how often that is no accident."""
RANDOM, NEAR_CHANCE = 8, 0.1
"""Submissions of a team that have as good as nothing to do with each other (kappa), and how many of them are no accident: systems that
know something agree because they are right."""


def watch(upload: Upload, suite: Suite, submission: Submission) -> None:
    """Keep the answers as numbers and flag what is odd; the same however often it is done."""
    copied: dict[int, dict[str, float]] = {}
    taken: dict[str, dict[str, float]] = {}
    probed: dict[str, str] = {}
    for paired in submission.pairs:
        if paired.split != suite.score_split or not paired.sound:
            continue
        place, vector = f"{suite.name}/{suite.version}/{paired.task.name}/{paired.split}", vector_of(paired)
        AnswerVector.objects.update_or_create(upload=upload, task=place, defaults={"team_id": upload.team_id, "answers": vector.tobytes()})
        if len(vector) < FEWEST or len(set(vector.tolist())) == 1:  # everybody's majority baseline is the same
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
    """How a team's submissions ask for labels, if they do."""
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
