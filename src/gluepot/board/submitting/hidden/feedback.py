"""Feedback on hidden labels, private and published, by the rules of the suite."""

from collections.abc import Sequence

from django.db import connection

from gluepot.board.importing.predictions import ImportContext, score_rows
from gluepot.board.models import Score
from gluepot.board.standings.gaps import HIDDEN_DIGITS
from gluepot.board.submitting.hidden.halves import LEAST, half_of
from gluepot.board.submitting.hidden.labels import LabelledSubmission
from gluepot.board.submitting.hidden.ladder import apply_ladder
from gluepot.records import Suite

LADDER, HALF = "ladder", "half"
TURN = 0x6C616464
"""Key space of the advisory locks on the teams' ladders: 'ladd' in ASCII."""


def is_hidden(suite: Suite, task: str, split: str) -> bool:
    return split in suite.tasks[task].data.unlabelled


def feedback_part(suite: Suite, given: LabelledSubmission) -> LabelledSubmission:
    """Return the items that the private score is computed on."""
    return half_of(given, "feedback") if suite.submitting.feedback == HALF else given


def official(suite: Suite, given: LabelledSubmission) -> LabelledSubmission:
    """Return the items that the published score is computed on."""
    return half_of(given, "official") if suite.submitting.feedback == HALF else given


def official_rows(suite: Suite, given: LabelledSubmission, owner: str) -> list[Score]:
    """Compute the score rows to be published."""
    chosen = official(suite, given)
    rows, _ = score_rows(suite, {0: chosen.submission}, chosen.context(suite, owner, "h" if suite.submitting.feedback == HALF else ""))
    return rounded_rows(suite, rows, given)


def rounded_rows(suite: Suite, rows: Sequence[Score], given: LabelledSubmission) -> list[Score]:
    """Round the intervals of rows with hidden labels, and drop their slices of fewer than LEAST items."""
    kept = []
    for row in rows:
        if (row.task, row.split) in given.labels:
            if row.slice and (row.n or 0) < LEAST:
                continue
            row.low, row.high = (None if end is None else round(end, HIDDEN_DIGITS) for end in (row.low, row.high))
        kept.append(row)
    return kept


def apply_ladders(team: int, suite: Suite, rows: Sequence[Score], given: LabelledSubmission, bench: ImportContext) -> None:
    """Apply the team's ladder to each task with hidden labels. Submissions of a team are serialized; requires a transaction."""
    if suite.submitting.feedback != LADDER or not given.labels:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [TURN, team])
    for name, split in given.labels:
        task = suite.tasks[name]
        own = [row for row in rows if (row.task, row.split) == (name, split)]
        apply_ladder(team, f"{suite.name}/{suite.version}/{name}/{split}/{bench.prints[f'{task.path}/{split}']}", task.metrics, own)
