"""Context of the page of a submission: progress, private score with plots, and requirements for publication."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gluepot.board.submitting.models import FactSheet, ScoreRevision, SubmittedProgram, Upload, program_of
from gluepot.board.submitting.publication.decisions import current_sheet
from gluepot.board.submitting.publication.forms import REQUIRED
from gluepot.board.submitting.states import State
from gluepot.board.submitting.views.plots import ScorePlots
from gluepot.efficiency.figures import Figures
from gluepot.records import Task
from gluepot.tasks.declarations import load_suite

STEPS = (State.DRAFT, State.QUEUED, State.SCORED, State.REVIEW, State.PUBLISHED)
REACHED: dict[str, int] = {
    **{state: number for number, state in enumerate(STEPS)},
    State.PROPOSED: 0,
    State.REFUSED: 0,
    State.SCORING: 1,
    State.FAILED: 1,
    State.PUBLISHING: 3,
    State.REJECTED: 3,
}
WAITING = (State.QUEUED, State.SCORING, State.PUBLISHING)
PUBLISHABLE = (State.SCORED, State.REJECTED, State.REVIEW, State.PUBLISHED)
"""States in which metadata can be edited; changes of a published one are reviewed, and the old metadata stays public meanwhile."""


@dataclass(frozen=True)
class Step:
    """A step of the progress bar."""

    title: str
    when: datetime | None
    done: bool
    here: bool
    halted: bool


@dataclass(frozen=True)
class OwnPage:
    """Context of the page of a submission."""

    upload: Upload
    revision: ScoreRevision | None
    earlier: list[ScoreRevision]
    steps: list[Step]
    missing: int
    sheet: FactSheet | None
    own: bool
    program: SubmittedProgram | None = None
    """The submitted program, if any."""

    @property
    def figures(self) -> list[Figures]:
        """The efficiency figures by task."""
        return list(msgspec.convert(self.program.figures, dict[str, Figures]).values()) if self.program else []

    @property
    def suite_title(self) -> str:
        return load_suite(self.upload.suite).title

    @property
    def version(self) -> str:
        """The suite version of the score, which may be newer than the version submitted to."""
        return self.revision.version if self.revision else self.upload.version

    @property
    def stands_elsewhere(self) -> bool:
        """Whether a provisional rank is of no use: the submission is on the board or withdrawn."""
        return self.upload.state in (State.PUBLISHED, State.WITHDRAWN)

    @property
    def waits(self) -> bool:
        return self.upload.state in WAITING

    @property
    def score(self) -> Any:
        return self.revision.document if self.revision else None

    @property
    def publishable(self) -> bool:
        return self.own and self.upload.state in PUBLISHABLE

    @property
    def changes_wait(self) -> bool:
        """Whether changed metadata of a published system is in review."""
        return self.upload.state == State.PUBLISHED and self.sheet is not None and self.sheet.state == FactSheet.State.REVIEW

    @cached_property
    def task_plots(self) -> ScorePlots:
        return _scale(self.score["tasks"] if self.score else [], "value", "low", "high", "best")

    @property
    def rows(self) -> list[tuple[Any, SafeString]]:
        """The tasks with their plots."""
        found = self.score["tasks"] if self.score else []
        return [(task, self._task_plot(task)) for task in found]

    def _task_plot(self, task: Any) -> SafeString:
        if task["value"] is None:
            return SafeString("")
        return self.task_plots.draw(task["value"], task["low"], task["high"], task["best"])

    @cached_property
    def neighbour_plots(self) -> ScorePlots:
        return _scale(self.score["neighbours"] if self.score else [], "overall", "low", "high")

    @property
    def neighbours(self) -> list[tuple[Any, SafeString]]:
        """The neighbouring rows with their plots."""
        found = self.score["neighbours"] if self.score else []
        return [(row, self.neighbour_plots.draw(row["overall"], row["low"], row["high"])) for row in found]


def _scale(rows: list[Any], *names: str) -> ScorePlots:
    return ScorePlots([row[name] for row in rows for name in names if row[name] is not None])


def own_page(upload: Upload, *, own: bool) -> OwnPage:
    """Build the page for the team or, if `own` is false, for a moderator."""
    revisions = list(upload.revisions.order_by("-pk"))
    sheet = current_sheet(upload)
    missing = sum(getattr(sheet, name) in (None, "") for name in REQUIRED) if sheet else len(REQUIRED) - 1
    missing += not (sheet and all(task.name in sheet.trained for task in answered_tasks(upload)))  # one question for all tasks
    program = program_of(upload)
    steps = _steps(upload, program)
    return OwnPage(upload, revisions[0] if revisions else None, revisions[1:], steps, missing, sheet, own, program)


def _steps(upload: Upload, program: SubmittedProgram | None) -> list[Step]:
    titles = (_("checked"), _("queued"), _("scored"), _("in review"), _("published"))
    times = (upload.made, upload.queued, upload.scored, None, upload.published)
    if program is not None:
        titles = (_("asked to be run"), _("allowed to run"), _("run and scored"), _("in review"), _("published"))
    at = REACHED.get(upload.state, 2 if upload.scored else 0)
    halted = upload.state in (State.REFUSED, State.FAILED, State.REJECTED, State.WITHDRAWN)
    return [
        Step(title, when, number < at, number == at, halted and number == at)
        for number, (title, when) in enumerate(zip(titles, times, strict=True))
    ]


def answered_tasks(upload: Upload) -> list[Task]:
    """Return the tasks of the suite that a submission answers."""
    suite = load_suite(upload.suite)
    return [suite.tasks[name] for name in dict.fromkeys(one["task"] for one in upload.tasks) if name in suite.tasks]
