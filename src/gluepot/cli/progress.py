"""The display of a run: one live line a job for people, plain lines elsewhere. It only looks at the files that grow."""

import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gluepot.data.examples import load_examples
from gluepot.records import Suite
from gluepot.runs.plan import Plan
from gluepot.runs.predicting import JobReport
from gluepot.runs.store import RunFolder

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

INTERVAL = 0.5


class Progress:
    """Counts answered items of each job; a context manager, so that the terminal is left as it was."""

    def __init__(self, plan: Plan, folder: RunFolder, suite: Suite) -> None:
        self.plan, self.folder, self.suite = plan, folder, suite
        self.bars: Bars | None = None
        self.ids: dict[str, TaskID] = {}
        self.looked = 0.0

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            self._open_bars()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.bars is not None:
            self.tick(now=True)
            self.bars.stop()

    def _open_bars(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns: list[Any] = [
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        ]
        self.bars = Bars(*columns, console=Console(stderr=True), transient=True)
        sizes = {
            name: len(load_examples(self.suite.tasks[name], self.plan.split)[: self.plan.limit])
            for job in self.plan.jobs
            for name in job.answers
        }
        for job in self.plan.jobs:
            total = sum(sizes[name] for name in job.answers)
            self.ids[job.name] = self.bars.add_task(job.name, total=total, rate="", completed=self._done(job.name))
        self.bars.start()

    def _done(self, name: str) -> int:
        job = next(job for job in self.plan.jobs if job.name == name)
        return sum(self.folder.predictions(task, job.split, job.seed).count() for task in job.answers)

    def tick(self, *, now: bool = False) -> None:
        """Look at the files, at most twice a second."""
        if self.bars is None or (not now and monotonic() - self.looked < INTERVAL):
            return
        self.looked = monotonic()
        for name, bar in self.ids.items():
            task = self.bars.tasks[self.ids[name]]
            if not task.finished:
                rate = f"{task.speed:,.0f} items/s" if task.speed else ""
                self.bars.update(bar, completed=self._done(name), rate=rate)

    def told(self, report: JobReport) -> None:
        """A job has ended."""
        if self.bars is None:
            rate = f", {report.answered / report.seconds:,.0f} items/s" if report.answered and report.seconds else ""
            state = f"{report.answered:,} items in {report.seconds:.1f} s{rate}" if report.answered else "nothing left to do"
            state += f", {report.unknown:,} guessed for unknown words" if report.unknown else ""
            print(f"{report.job}: {'; '.join(report.failed.values()) or state}", file=sys.stderr)
