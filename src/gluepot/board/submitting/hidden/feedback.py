"""What a team is told of answers that are hidden, and what everybody is told at publication: by the rules of the suite."""

from collections.abc import Sequence

from django.db import connection

from gluepot.board.importing.predictions import ImportContext, score_rows
from gluepot.board.models import Score
from gluepot.board.standings.gaps import HIDDEN_DIGITS
from gluepot.board.submitting.hidden.halves import LEAST, half_of
from gluepot.board.submitting.hidden.labels import LabelledSubmission
from gluepot.board.submitting.hidden.ladder import climb
from gluepot.records import Suite

LADDER, HALF = "ladder", "half"
TURN = 0x6C616464
"""The lock of a team's ladder: 'ladd'."""


def is_hidden(suite: Suite, task: str, split: str) -> bool:
    return split in suite.tasks[task].data.unlabelled


def feedback_part(suite: Suite, given: LabelledSubmission) -> LabelledSubmission:
    """The items that a private score is of."""
    return half_of(given, "feedback") if suite.submitting.feedback == HALF else given


def official(suite: Suite, given: LabelledSubmission) -> LabelledSubmission:
    """The items that the published score is of."""
    return half_of(given, "official") if suite.submitting.feedback == HALF else given


def official_rows(suite: Suite, given: LabelledSubmission, owner: str) -> list[Score]:
    """The rows that are published."""
    chosen = official(suite, given)
    rows, _ = score_rows(suite, {0: chosen.submission}, chosen.context(suite, owner, "h" if suite.submitting.feedback == HALF else ""))
    return rounded_rows(suite, rows, given)


def rounded_rows(suite: Suite, rows: Sequence[Score], given: LabelledSubmission) -> list[Score]:
    """Intervals of hidden answers with few digits, and no slice of few items."""
    kept = []
    for row in rows:
        if (row.task, row.split) in given.labels:
            if row.slice and (row.n or 0) < LEAST:
                continue
            row.low, row.high = (None if end is None else round(end, HIDDEN_DIGITS) for end in (row.low, row.high))
        kept.append(row)
    return kept


def climb_all(team: int, suite: Suite, rows: Sequence[Score], given: LabelledSubmission, bench: ImportContext) -> None:
    """Each hidden task up its team's ladder, one submission of the team after the other; in a transaction."""
    if suite.submitting.feedback != LADDER or not given.labels:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [TURN, team])
    for name, split in given.labels:
        task = suite.tasks[name]
        own = [row for row in rows if (row.task, row.split) == (name, split)]
        climb(team, f"{suite.name}/{suite.version}/{name}/{split}/{bench.prints[f'{task.path}/{split}']}", task.metrics, own)
