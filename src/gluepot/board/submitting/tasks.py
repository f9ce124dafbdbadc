"""Background tasks that workers take from the queue."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

if TYPE_CHECKING:
    from gluepot.board.submitting.models import Upload

QUEUES = SCORES, LETTERS, PROGRAMS = ("scores", "letters", "programs")
"""Names of the queues; submitted programs take long and have their own."""
AGAIN = RetryStrategy(max_attempts=4, wait=2, linear_wait=3)
"""Retries of failures other than a killed worker: an unavailable database, a mail server that does not respond."""


@contextmanager
def timed(key: str) -> Iterator[None]:
    """Register the deadline of a job with the worker while it runs."""
    from gluepot.board.submitting.programs.settings import longest_seconds
    from gluepot.board.submitting.worker import due

    due[key] = monotonic() + longest_seconds(key)
    try:
        yield
    finally:
        due.pop(key, None)


def defer_scoring(upload: "Upload") -> None:
    """Queue a submission for scoring, in the programs' queue if its program has not run yet."""
    from gluepot.board.submitting.programs.settings import awaits_run

    queue = PROGRAMS if awaits_run(str(upload.key)) else SCORES
    score.configure(queue=queue, lock=str(upload.key), queueing_lock=f"score-{upload.key}").defer(key=str(upload.key))


@app.task(queue=SCORES, retry=AGAIN)
def score(key: str) -> None:
    """Score a submission in private, after running its program if it has one."""
    from gluepot.board.submitting.scoring.private_scores import score_upload

    with timed(key):
        score_upload(key)


@app.task(queue=SCORES, retry=AGAIN)
def publish(sheet: int) -> None:
    """Publish a system with its approved metadata."""
    from gluepot.board.submitting.publication.publishing import publish_sheet

    publish_sheet(sheet)


@app.task(queue=SCORES, retry=AGAIN)
def withdraw(key: str) -> None:
    """Take a withdrawn system off the board."""
    from gluepot.board.submitting.publication.publishing import take_down

    take_down(key)


@app.task(queue=SCORES, retry=AGAIN)
def forget(team: int) -> None:
    """Delete the private data of a team without members."""
    from gluepot.board.accounts.privacy import forget_team

    forget_team(team)


@app.task(queue=SCORES, retry=AGAIN)
def rescore(number: int, key: str) -> None:
    """Rescore a submission with the new data or scorer."""
    from gluepot.board.submitting.scoring.rescoring import rescore_upload

    with timed(key):
        rescore_upload(number, key)


@app.task(queue=SCORES, retry=AGAIN)
def merge(into: int, others: list[int], moderator: str, reason: str) -> None:
    """Merge duplicate systems."""
    from gluepot.board.moderation.merging import merge_systems

    merge_systems(into, others, moderator, reason)


@app.task(queue=LETTERS, retry=RetryStrategy(max_attempts=8, exponential_wait=4))
def send(team: int, letter: str, facts: dict[str, str]) -> None:
    """Send an e-mail to the members of a team."""
    from gluepot.board.submitting.mails import mail_team

    mail_team(team, letter, facts)
