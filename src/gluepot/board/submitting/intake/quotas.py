"""Quotas of scorings by team and task, counted and taken in one transaction, with the time of the next free slot."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, sqrt

from django.utils import timezone

from gluepot.board.accounts.models import Team
from gluepot.board.submitting.models import Slot, Upload
from gluepot.records import Suite, Task

OPEN = 10
"""Scorings per day of a task with public labels, which anybody can also score locally without limit."""
DAY, WEEK = timedelta(days=1), timedelta(days=7)


@dataclass(frozen=True)
class Quota:
    """The number of scorings of a task allowed in a period."""

    slots: int
    time: timedelta


@dataclass(frozen=True)
class QuotaUse:
    """The state of a team's quota for a task."""

    task: str
    slots: int
    left: int
    next: datetime | None
    """When the next slot becomes free; None if one is free now."""
    time: timedelta


class QuotaError(Exception):
    """Raised when some tasks have no slot left."""

    def __init__(self, spent: list[QuotaUse]) -> None:
        self.spent = spent
        self.next = max(use.next for use in spent if use.next)
        super().__init__(", ".join(use.task for use in spent))


def quota_of(suite: Suite, task: Task) -> Quota:
    """Return the quota that the suite declares; by default ten a day, or ⌈√n / 4⌉ a week for a test of n items with hidden labels."""
    rules = suite.submitting
    hidden = suite.score_split in task.data.unlabelled
    time = timedelta(days=rules.days) if rules.days else WEEK if hidden else DAY
    if rules.quota:
        return Quota(rules.quota, time)
    return Quota(ceil(sqrt(task.data.rows.get(suite.score_split, 0) or 1) / 4), time) if hidden else Quota(OPEN, time)


def uses(team: Team, suite: Suite, tasks: Iterable[str]) -> list[QuotaUse]:
    """Return the state of a team's quota for each of these tasks."""
    now = timezone.now()
    quotas = {task: quota_of(suite, suite.tasks[task]) for task in tasks}
    taken = Slot.objects.filter(team=team, suite=suite.name, version=suite.version, task__in=quotas, returned=False)
    longest = max((quota.time for quota in quotas.values()), default=DAY)
    times: dict[str, list[datetime]] = {task: [] for task in quotas}
    for task, at in taken.filter(at__gt=now - longest).order_by("-at").values_list("task", "at"):
        if at > now - quotas[task].time:
            times[task].append(at)
    return [_use(task, quota, times[task]) for task, quota in quotas.items()]


def _use(task: str, quota: Quota, times: list[datetime]) -> QuotaUse:
    """Return the state of a quota, given the times of the taken slots, newest first."""
    left = max(0, quota.slots - len(times))
    return QuotaUse(task, quota.slots, left, None if left else times[quota.slots - 1] + quota.time, quota.time)


def take_slots(upload: Upload, suite: Suite, tasks: Iterable[str]) -> None:
    """Take one slot of each task, or raise QuotaError and take none. Requires a transaction; locks the team's row."""
    team = Team.objects.select_for_update(no_key=True).get(pk=upload.team_id)
    tasks = list(tasks)
    spent = [use for use in uses(team, suite, tasks) if not use.left]
    if spent:
        raise QuotaError(spent)
    now = timezone.now()
    Slot.objects.bulk_create(Slot(upload=upload, team=team, suite=suite.name, version=suite.version, task=task, at=now) for task in tasks)


def return_slots(upload: Upload, scored: Iterable[str] = ()) -> None:
    """Return the slots of a submission, except those of its scored tasks: only scores count against the quota."""
    upload.slots.exclude(task__in=list(scored)).update(returned=True)
