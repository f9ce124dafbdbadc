"""Killed workers: begun jobs are retried and scored once. `python -m benchmarks.killing` tests 200 jobs with 100 kills."""

import signal
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from benchmarks.killing import Sending
from tests.board.users import wait_for

from gluepot.board.server import workers as supervision


def test_job_of_a_killed_worker_is_scored_once_by_another(open_board: Path, tmp_path: Path) -> None:
    from gluepot.board.moderation.models import AuditEvent
    from gluepot.board.submitting.models import ScoreRevision, Upload

    sending = Sending(tmp_path, 4)
    while sending.send():
        pass
    crew = supervision.Workers(open_board, 1)
    try:
        assert wait_for(lambda: Upload.objects.filter(state="scoring").exists(), 60)
        (process,) = crew.processes
        process.kill()
        begun = set(Upload.objects.filter(state="scoring").values_list("pk", flat=True))
        assert wait_for(lambda: Upload.objects.filter(state="scored").count() == 4, 90), list(Upload.objects.values_list("state", "reason"))
    finally:
        crew.close()
    assert all(upload.attempts == 1 + (upload.pk in begun) for upload in Upload.objects.all())
    assert ScoreRevision.objects.count() == AuditEvent.objects.filter(action="scored").count() == 4


def test_submission_that_kills_every_worker_fails_and_uses_no_quota(
    member: Callable[..., Any], work: Callable[[], None], sample: Path
) -> None:
    from gluepot.board.submitting.intake.acceptance import Sender, accept, check
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.scoring import private_scores
    from gluepot.tasks.declarations import load_suite

    ann, suite = member(), load_suite("pocket")
    upload = accept(check(suite, sample), Sender(ann, ann.teams.get()), "poison", "poison.zip")
    for _ in range(private_scores.MOST):
        private_scores._begin(str(upload.key))  # simulates a worker that is killed afterwards
    work()
    upload = Upload.objects.get()
    assert upload.state == "failed"
    assert "came to no end" in upload.reason
    assert not upload.slots.filter(returned=False).exists()


def test_queued_submission_without_a_job_is_requeued(member: Callable[..., Any], work: Callable[[], None], sample: Path) -> None:
    from datetime import timedelta

    from django.db import connection
    from django.utils import timezone

    from gluepot.board.submitting.intake.acceptance import Sender, accept, check
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.worker import requeue_lost
    from gluepot.tasks.declarations import load_suite

    ann = member()
    accept(check(load_suite("pocket"), sample), Sender(ann, ann.teams.get()), "lost", "lost.zip")
    assert requeue_lost(timezone.now() + timedelta(hours=1)) == 0, "its job is there"
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs CASCADE")
    assert requeue_lost(timezone.now()) == 0, "a young one may be about to be queued"
    assert requeue_lost(timezone.now() + timedelta(hours=1)) == 1
    work()
    assert Upload.objects.get().state == "scored"


def test_killed_worker_restarts_immediately_and_a_failing_one_with_backoff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    class Stop:
        """Stop event that records the pauses and ends after eight."""

        def is_set(self) -> bool:
            return len(pauses) >= 8

        def wait(self, seconds: float) -> bool:
            pauses.append(seconds)
            return self.is_set()

    crew = supervision.Workers(tmp_path, 0)
    crew.stopping = Stop()  # type: ignore[assignment]
    crew.words = ["/bin/sh", "-c", "exit 1"]
    crew._keep()
    assert pauses[-1] == supervision.PAUSES[-1]
    pauses.clear()
    crew.words = ["/bin/sh", "-c", f"kill -{signal.SIGKILL.value} $$"]
    keeping = Thread(target=crew._keep)
    keeping.start()
    keeping.join(30)
    assert set(pauses) == {supervision.PAUSES[0]}
