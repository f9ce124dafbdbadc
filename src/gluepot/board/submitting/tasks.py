"""The jobs that workers take from the queue."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

AGAIN = RetryStrategy(max_attempts=4, wait=2, linear_wait=3)
"""For what fails although nobody was killed: a database that was away, a mail server that did not answer."""


@contextmanager
def timed(key: str) -> Iterator[None]:
    """Let the worker know how long it is at a job."""
    from gluepot.board.submitting.worker import begun

    begun[key] = monotonic()
    try:
        yield
    finally:
        begun.pop(key, None)


@app.task(queue="scores", retry=AGAIN)
def score(key: str) -> None:
    """The private score of a submission."""
    from gluepot.board.submitting.scoring import score_upload

    with timed(key):
        score_upload(key)


@app.task(queue="scores", retry=AGAIN)
def publish(sheet: int) -> None:
    """A system on the board, as its approved facts say."""
    from gluepot.board.submitting.publishing import publish_sheet

    publish_sheet(sheet)


@app.task(queue="scores", retry=AGAIN)
def withdraw(key: str) -> None:
    """A system off the board."""
    from gluepot.board.submitting.publishing import take_down

    take_down(key)


@app.task(queue="scores", retry=AGAIN)
def forget(team: int) -> None:
    """What is left of a team without members."""
    from gluepot.board.accounts.privacy import forget_team

    forget_team(team)


@app.task(queue="scores", retry=AGAIN)
def rescore(number: int, key: str) -> None:
    """A submission on a new state of data or scorer."""
    from gluepot.board.submitting.rescoring import rescore_upload

    with timed(key):
        rescore_upload(number, key)


@app.task(queue="scores", retry=AGAIN)
def merge(into: int, others: list[int], moderator: str, reason: str) -> None:
    """Systems that are one."""
    from gluepot.board.moderation.merging import merge_systems

    merge_systems(into, others, moderator, reason)


@app.task(queue="letters", retry=RetryStrategy(max_attempts=8, exponential_wait=4))
def send(team: int, letter: str, facts: dict[str, str]) -> None:
    """A letter to everybody in a team."""
    from gluepot.board.submitting.letters import send_letter

    send_letter(team, letter, facts)
