"""Quotas: failed and withdrawn submissions do not count, and 200 concurrent submissions cannot exceed the quota."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

SUITE = "pocket"


def checked_of(sample: Path) -> Any:
    from gluepot.board.submitting.intake.acceptance import check
    from gluepot.tasks.declarations import load_suite

    return check(load_suite(SUITE), sample)


def test_concurrent_submissions_cannot_exceed_the_quota(member: Callable[..., Any], sample: Path) -> None:
    from django.db import connection

    from gluepot.board.submitting.intake.acceptance import Sender, accept
    from gluepot.board.submitting.intake.quotas import QuotaError
    from gluepot.board.submitting.models import Slot, Upload

    ann, checked = member(), checked_of(sample)
    sender, began = Sender(ann, ann.teams.get()), timezone.now()

    def send(number: int) -> Any:
        try:
            return accept(replace(checked, digest=f"{number:064}"), sender, f"one of many {number}", "a.zip").state
        except QuotaError as spent:
            return spent.next

    def send_some(first: int) -> list[Any]:
        with closing(connection):
            return [send(number) for number in range(first, 200, 10)]

    with ThreadPoolExecutor(10) as pool:
        told = [answer for answers in pool.map(send_some, range(10)) for answer in answers]
    assert told.count("queued") == Upload.objects.count() == 10
    times = [when for when in told if when != "queued"]
    assert len(times) == 190
    assert all(began + timedelta(days=1) <= when <= timezone.now() + timedelta(days=1) for when in times)
    assert Slot.objects.count() == 10 * len(checked.tasks)


@pytest.mark.parametrize("end", ["failed", "withdrawn"])
def test_submission_without_a_score_uses_no_quota(member: Callable[..., Any], sample: Path, end: str) -> None:
    from gluepot.board.submitting.intake.acceptance import Sender, accept
    from gluepot.board.submitting.intake.quotas import uses
    from gluepot.board.submitting.publication.decisions import withdraw_upload
    from gluepot.board.submitting.scoring.private_scores import fail_upload

    ann, checked = member(), checked_of(sample)
    upload = accept(checked, Sender(ann, ann.teams.get()), "soon gone", "a.zip")
    tasks = [task.task for task in checked.tasks]
    assert {use.left for use in uses(upload.team, checked.suite, tasks)} == {9}
    fail_upload(str(upload.key), "no worker could") if end == "failed" else withdraw_upload(upload, str(ann.pk))
    assert {use.left for use in uses(upload.team, checked.suite, tasks)} == {10}


def test_quota_is_per_team_task_and_version(
    member: Callable[..., Any], client_of: Callable[[Any], Any], work: Callable[[], None], sample: Path
) -> None:
    from gluepot.board.submitting.intake.acceptance import Sender, accept
    from gluepot.board.submitting.intake.quotas import QuotaError, uses
    from gluepot.board.submitting.models import Slot

    ann, ben, checked = member(), member("ben@example.org"), checked_of(sample)
    first = checked.tasks[0].task
    for number in range(10):
        only = replace(checked, tasks=checked.tasks[:1], digest=f"{number:064}")
        accept(only, Sender(ann, ann.teams.get()), "one task", "a.zip", first)
    left = {use.task: use.left for use in uses(ann.teams.get(), checked.suite, checked.suite.tasks)}
    assert left.pop(first) == 0
    assert set(left.values()) == {10}
    assert {use.left for use in uses(ben.teams.get(), checked.suite, [first])} == {10}
    with pytest.raises(QuotaError, match=first):
        accept(checked, Sender(ann, ann.teams.get()), "whole suite", "a.zip")
    with sample.open("rb") as stream:
        refused = client_of(ann).post("/submit/pocket", {"name": "whole suite", "files": stream})
    assert refused.status_code == 429
    assert re.search(r"No slot is left for Pocket stance. The next one is free on \d+ \w+ \d{4}, \d\d:\d\d UTC.", refused.content.decode())
    Slot.objects.update(version="an older one")
    assert {use.left for use in uses(ann.teams.get(), checked.suite, [first])} == {10}
