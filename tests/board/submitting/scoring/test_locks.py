"""A lock on a team or a submission does not block rows that only refer to it; this was a deadlock with the audit log's lock."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tests.board.submitting.scoring.test_suspicions import scored


def test_rows_that_refer_to_a_locked_team_or_submission_are_stored_immediately(
    member: Callable[..., Any], work: Callable[[], None], sample: Path
) -> None:
    from django.db import connection, connections, transaction

    from gluepot.board.submitting.intake.quotas import take_slots
    from gluepot.board.submitting.models import AnswerVector, Suspicion
    from gluepot.board.submitting.states import lock_upload
    from gluepot.tasks.declarations import load_suite

    ann = member()
    upload = scored(ann, ann.teams.get(), sample, work)
    held, done = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            lock_upload(upload.key)
            take_slots(upload, load_suite("pocket"), [])
            held.set()
            done.wait(20)
        connections.close_all()

    thread = Thread(target=hold)
    thread.start()
    try:
        assert held.wait(20)
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '3s'")
            AnswerVector.objects.create(upload=upload, team=upload.team, task="pocket/1/x/test", answers=b"")
            Suspicion.objects.create(upload=upload, other=upload, kind="near-copy")
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    finally:
        done.set()
        thread.join()
    assert Suspicion.objects.filter(other=upload).exists()
