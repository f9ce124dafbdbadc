"""How often a team may have a task scored: counted and taken in one transaction, with the time of the next free slot."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, sqrt

from django.utils import timezone

from gluepot.board.accounts.models import Team
from gluepot.board.submitting.models import Slot, Upload
from gluepot.records import Suite, Task

OPEN = 10
"""Scorings of a task in a day where its answers are open: anybody can score it at home as often as they like."""
DAY, WEEK = timedelta(days=1), timedelta(days=7)


@dataclass(frozen=True)
class Quota:
    """So many scorings of a task in so much time."""

    slots: int
    time: timedelta


@dataclass(frozen=True)
class QuotaUse:
    """What a team has left of a task's quota."""

    task: str
    slots: int
    left: int
    next: datetime | None
    """When the next slot is free; None where there is one."""
    time: timedelta


class QuotaSpent(Exception):
    """No slot is left for some tasks."""

    def __init__(self, spent: list[QuotaUse]) -> None:
        self.spent = spent
        self.next = max(use.next for use in spent if use.next)
        super().__init__(", ".join(use.task for use in spent))


def quota_of(suite: Suite, task: Task) -> Quota:
    """As the suite declares it; else ten a day, or, for hidden answers, the fewer the smaller the test: ⌈√n / 4⌉ a week."""
    rules = suite.submitting
    hidden = suite.score_split in task.data.unlabelled
    time = timedelta(days=rules.days) if rules.days else WEEK if hidden else DAY
    if rules.quota:
        return Quota(rules.quota, time)
    return Quota(ceil(sqrt(task.data.rows.get(suite.score_split, 0) or 1) / 4), time) if hidden else Quota(OPEN, time)


def uses(team: Team, suite: Suite, tasks: Iterable[str]) -> list[QuotaUse]:
    """What is left for each of these tasks."""
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
    """With the times of the slots that are taken, the last one first."""
    left = max(0, quota.slots - len(times))
    return QuotaUse(task, quota.slots, left, None if left else times[quota.slots - 1] + quota.time, quota.time)


def take_slots(upload: Upload, suite: Suite, tasks: Iterable[str]) -> None:
    """One slot of each task, or none at all; within a transaction, one submission of a team after the other."""
    team = Team.objects.select_for_update(no_key=True).get(pk=upload.team_id)
    tasks = list(tasks)
    spent = [use for use in uses(team, suite, tasks) if not use.left]
    if spent:
        raise QuotaSpent(spent)
    now = timezone.now()
    Slot.objects.bulk_create(Slot(upload=upload, team=team, suite=suite.name, version=suite.version, task=task, at=now) for task in tasks)


def give_back(upload: Upload, scored: Iterable[str] = ()) -> None:
    """What returned no score costs nothing: all tasks but those that have one."""
    upload.slots.exclude(task__in=list(scored)).update(returned=True)
