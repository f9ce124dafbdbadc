"""Context of the page for submitting to a suite: problems of the upload, sample, tasks, remaining quota."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from gluepot.board.accounts.models import Team
from gluepot.board.submitting.intake.quotas import QuotaError, QuotaUse, quota_of
from gluepot.board.submitting.intake.sample import sample_lines
from gluepot.board.submitting.views.problem_table import FileProblems
from gluepot.board.templatetags.shown import plain_stamp
from gluepot.data.folders import has_split
from gluepot.records import Suite, Task
from gluepot.tasks.formats import FORMATS

COMMON = "jsonl"
"""The format accepted for every suite."""
MOST_PIPS = 12
"""Maximum number of slots drawn; larger quotas are only given in text."""


@dataclass(frozen=True)
class TaskRow:
    """A task open for submissions, with its quota."""

    name: str
    title: str
    items: int | None
    quota: str
    left: int | None = None
    next: datetime | None = None


@dataclass
class SubmitPage:
    """Context of the page."""

    suite: Suite
    address: str
    teams: list[Team] = field(default_factory=list)
    quotas: list[QuotaUse] = field(default_factory=list)
    problems: list[FileProblems] = field(default_factory=list)
    count: int = 0
    message: str = ""
    name: str = ""
    task: str = ""
    team: int = 0
    program: str = ""
    """The program entered in the form."""
    chosen: list[str] = field(default_factory=list)
    """The tasks selected for the program."""

    @property
    def summary(self) -> str:
        return gettext(FORMATS[self.suite.submission].summary)

    @property
    def common_form(self) -> str:
        """Summary of the common format, also that of the sample; empty if it is the suite's own."""
        return "" if self.suite.submission == COMMON else gettext(FORMATS[COMMON].summary)

    @property
    def sample(self) -> str:
        return sample_lines(self.suite)

    @property
    def version(self) -> str:
        return self.suite.version

    @property
    def answerable(self) -> list[Task]:
        return [task for task in self.suite.tasks.values() if has_split(task, self.suite.score_split)]

    @property
    def tasks(self) -> list[TaskRow]:
        """The tasks open for submissions."""
        used = {use.task: use for use in self.quotas}
        return [self._row(task, used.get(task.name)) for task in self.answerable]

    def _row(self, task: Task, use: QuotaUse | None) -> TaskRow:
        quota = quota_of(self.suite, task)
        days = quota.time.days
        told = ngettext("%(n)s a day", "%(n)s in %(days)s days", days) % {"n": quota.slots, "days": days}
        items = task.data.rows.get(self.suite.score_split)
        return TaskRow(task.name, task.title, items, told, use.left if use else None, use.next if use else None)

    @property
    def scarcest(self) -> QuotaUse | None:
        """The quota with the fewest slots left."""
        return min(self.quotas, key=lambda use: use.left, default=None)

    @property
    def pips(self) -> SafeString:
        """SVG of the slots as bars, those left marked; the text beside it gives the numbers."""
        use = self.scarcest
        if use is None or use.slots > MOST_PIPS:
            return SafeString("")
        bars = (("left" if number < use.left else "used", number * 22 + 0.5) for number in range(use.slots))
        drawn = format_html_join("", '<rect class="{}" x="{}" y="2.5" width="16" height="11" rx="3"/>', bars)
        return format_html('<svg class="pips" width="{}" height="16" aria-hidden="true">{}</svg>', use.slots * 22, drawn)


def quota_message(suite: Suite, spent: QuotaError) -> str:
    """Return the message for an exhausted quota: its tasks and the time of the next free slot."""
    titles = [suite.tasks[use.task].title for use in spent.spent]
    told = {"tasks": ", ".join(titles), "when": plain_stamp(spent.next)}
    return gettext("No slot is left for %(tasks)s. The next one is free on %(when)s.") % told
