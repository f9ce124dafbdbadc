"""The jobs that workers take from the queue."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

if TYPE_CHECKING:
    from gluepot.board.submitting.models import Upload

QUEUES = SCORES, LETTERS, PROGRAMS = ("scores", "letters", "programs")
"""Queues: programs of others take long, and wait in a line of their own."""
AGAIN = RetryStrategy(max_attempts=4, wait=2, linear_wait=3)
"""For what fails although nobody was killed: a database that was away, a mail server that did not answer."""


@contextmanager
def timed(key: str) -> Iterator[None]:
    """Let the worker know until when a job must be done."""
    from gluepot.board.submitting.programs.settings import longest_seconds
    from gluepot.board.submitting.worker import due

    due[key] = monotonic() + longest_seconds(key)
    try:
        yield
    finally:
        due.pop(key, None)


def defer_scoring(upload: "Upload") -> None:
    """Hand a submission to the workers; where a program is to make its answers first, to those that run programs."""
    from gluepot.board.submitting.programs.settings import awaits_run

    queue = PROGRAMS if awaits_run(str(upload.key)) else SCORES
    score.configure(queue=queue, lock=str(upload.key), queueing_lock=f"score-{upload.key}").defer(key=str(upload.key))


@app.task(queue=SCORES, retry=AGAIN)
def score(key: str) -> None:
    """The private score of a submission, whose answers a program may have to make first."""
    from gluepot.board.submitting.scoring.private_scores import score_upload

    with timed(key):
        score_upload(key)


@app.task(queue=SCORES, retry=AGAIN)
def publish(sheet: int) -> None:
    """A system on the board, as its approved facts say."""
    from gluepot.board.submitting.publication.publishing import publish_sheet

    publish_sheet(sheet)


@app.task(queue=SCORES, retry=AGAIN)
def withdraw(key: str) -> None:
    """A system off the board."""
    from gluepot.board.submitting.publication.publishing import take_down

    take_down(key)


@app.task(queue=SCORES, retry=AGAIN)
def forget(team: int) -> None:
    """What is left of a team without members."""
    from gluepot.board.accounts.privacy import forget_team

    forget_team(team)


@app.task(queue=SCORES, retry=AGAIN)
def rescore(number: int, key: str) -> None:
    """A submission on a new state of data or scorer."""
    from gluepot.board.submitting.scoring.rescoring import rescore_upload

    with timed(key):
        rescore_upload(number, key)


@app.task(queue=SCORES, retry=AGAIN)
def merge(into: int, others: list[int], moderator: str, reason: str) -> None:
    """Systems that are one."""
    from gluepot.board.moderation.merging import merge_systems

    merge_systems(into, others, moderator, reason)


@app.task(queue=LETTERS, retry=RetryStrategy(max_attempts=8, exponential_wait=4))
def send(team: int, letter: str, facts: dict[str, str]) -> None:
    """A letter to everybody in a team."""
    from gluepot.board.submitting.mails import mail_team

    mail_team(team, letter, facts)
