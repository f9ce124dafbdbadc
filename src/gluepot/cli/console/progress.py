"""Progress display of a run: live lines on a terminal, plain ones elsewhere. It only reads the files that grow."""

import sys
from collections.abc import Iterable
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from gluepot.cli.console.output import console, print_notices
from gluepot.cli.console.tables import LEAST_NAME, shorten
from gluepot.data.examples import load_examples
from gluepot.plurals import pluralize
from gluepot.records import Suite
from gluepot.runs.pipeline import RunRequest
from gluepot.runs.prediction.execution.executors import heaviest_first
from gluepot.runs.prediction.jobs import JobReport
from gluepot.runs.prediction.plan import Job, Plan
from gluepot.runs.storage.store import RunFolder

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

INTERVAL = 0.5
MANY = 8
"""Jobs that are shown if the number of concurrent ones is unknown."""
FIGURES = 50
"""Columns for all but the name: a short bar, counts, speed and time."""
ALL = ""
"""Key of all jobs together, among the names of jobs."""


class TerminalObserver:
    """Observer that shows a run at the terminal, at most `at_once` of its jobs."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once

    def warn(self, notices: Iterable[str]) -> None:
        print_notices(notices)

    def say(self, line: str) -> None:
        print(line, file=sys.stderr)

    def watch(self, request: RunRequest) -> "Progress":
        return Progress(request.plan, request.folder, request.suite, self.at_once, request.model.info.preparation)


class Progress:
    """Display of the running jobs, at most `at_once`, and of their total; a context manager that restores the terminal."""

    def __init__(self, plan: Plan, folder: RunFolder, suite: Suite, at_once: int, preparation: str = "") -> None:
        self.plan, self.folder, self.suite, self.at_once, self.preparation = plan, folder, suite, at_once, preparation
        self.live: Live | None = None
        self.open: list[Job] = []
        """Jobs that have not ended, in the order of their start."""
        self.total: dict[str, int] = {}
        self.done: dict[str, int] = {}
        self.since: dict[str, tuple[float, int]] = {}
        """Time when a job was first shown, and the number of items answered by then."""
        self.looked = 0.0

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            self._open_display()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.live is not None:
            self.live.stop()

    def _open_display(self) -> None:
        from rich.live import Live

        sizes = {name: self._size(name) for job in self.plan.jobs for name in job.answers}
        self.open = [job for wave in self.plan.waves for job in heaviest_first(wave.jobs, self.suite)]
        self.total = {job.name: sum(sizes[name] for name in job.answers) for job in self.open}
        self.done = {job.name: self._count(job) for job in self.open}
        self.live = Live(console=console(stderr=True), transient=True, auto_refresh=False)
        self.live.start()
        self.tick()

    def _size(self, task: str) -> int:
        return len(load_examples(self.suite.tasks[task], self.plan.split)[: self.plan.limit])

    def _count(self, job: Job) -> int:
        folder = RunFolder(job.place(self.folder.path))
        return sum(folder.predictions(task, job.split, job.seed).count() for task in job.answers)

    def tick(self) -> None:
        """Refresh the counts from the files, at most twice a second."""
        if self.live is None or monotonic() - self.looked < INTERVAL:
            return
        self.looked = monotonic()
        for job in self._shown():
            self.done[job.name] = self._count(job)
        self.live.update(self._lines(), refresh=True)

    def _shown(self) -> list[Job]:
        """Return the running jobs, as many as fit on the screen above the total."""
        assert self.live is not None
        return self.open[: min(self.at_once, max(1, self.live.console.height - 2))]

    def _lines(self) -> "Table":
        from rich.table import Table

        table = Table.grid("", "", "", "", padding=(0, 1), expand=True)
        table.columns[1].ratio = 1
        for column in (table.columns[0], *table.columns[2:]):
            column.no_wrap = True
        for job in self._shown():
            name = job.name if len(self.plan.seeds) > 1 else job.name.replace(f" seed {job.seed}", "")
            self._add(table, job.name, name, self.done[job.name], self.total[job.name], self.preparation)
        if len(self.plan.jobs) > 1:
            ended = len(self.plan.jobs) - len(self.open)
            self._add(table, ALL, f"{ended} of {pluralize(len(self.plan.jobs), 'job')}", sum(self.done.values()), sum(self.total.values()))
        return table

    def _add(self, table: "Table", key: str, name: str, done: int, total: int, preparation: str = "") -> None:
        from rich.progress_bar import ProgressBar

        assert self.live is not None
        name = shorten(name, max(LEAST_NAME, self.live.console.width - FIGURES))

        start, before = self.since.setdefault(key, (monotonic(), done))
        bar = ProgressBar(total=total or 1, completed=done)
        spent = monotonic() - start
        table.add_row(name, bar, f"{done:,}/{total:,}", pace(done - before, total - done, spent, preparation))

    def job_ended(self, report: JobReport) -> None:
        """Report a finished job."""
        if self.live is None:
            print(f"{report.job}: {describe(report)}", file=sys.stderr)
            return
        job = next(job for job in self.open if job.name == report.job)
        self.open.remove(job)
        self.done[job.name] = self.total[job.name] = self._count(job)


def pace(answered: int, left: int, seconds: float, preparation: str = "") -> str:
    """Format items per second and the time left; before the first answer, the preparation and the time spent.

    >>> pace(100, 50, 10.0), pace(3, 600, 10.0), pace(0, 40, 75.0), pace(0, 40, 75.0, "learning")
    ('10 items/s, 0:05 left', '0.3 items/s, 33:20 left', '1:15', 'learning, 1:15')
    """
    if not answered or not seconds:
        return f"{preparation}, {clock(seconds)}" if preparation and left else clock(seconds)
    return f"{speed(answered, seconds)}, {clock(left * seconds / answered)} left"


def speed(answered: int, seconds: float) -> str:
    """Format a rate in items per second.

    >>> speed(100, 10), speed(3, 10), speed(20, 92), speed(9, 9)
    ('10 items/s', '0.3 items/s', '0.22 items/s', '1 item/s')
    """
    rate = answered / seconds
    text = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"{text} {'item' if text == '1' else 'items'}/s"


def clock(seconds: float) -> str:
    """Format a duration.

    >>> clock(75), clock(7384.2)
    ('1:15', '2:03:04')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def describe(report: JobReport) -> str:
    """Describe the outcome of a job in one line."""
    if report.failed:
        return "; ".join(dict.fromkeys(report.failed.values()))
    if not report.answered:
        return "nothing left to do"
    rate = f", {speed(report.answered, report.seconds)}" if report.seconds else ""
    guessed = f", {report.unknown:,} guessed for unknown words" if report.unknown else ""
    return f"{pluralize(report.answered, 'item')} in {report.seconds:.1f} s{rate}{guessed}"
