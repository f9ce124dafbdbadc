"""Processing of an upload from request to queued submission, shared by the form and the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from django.core.files.uploadedfile import UploadedFile

from gluepot.board.submitting.intake.acceptance import CheckedSubmission, Sender, accept, check
from gluepot.board.submitting.intake.quotas import QuotaError, uses
from gluepot.board.submitting.intake.rate_limits import count_attempt, has_room
from gluepot.board.submitting.models import Upload
from gluepot.data.folders import has_split
from gluepot.errors import WrongUse, unknown
from gluepot.records import Problem, Suite, Task
from gluepot.submissions.opening.entries import has_safe_name
from gluepot.submissions.problems import Problems
from gluepot.tasks.declarations import load_suite, load_suites

LONGEST_NAME = 150
NO_ROOM = Problem("too-large", "the submissions of your team take all the room that a team has.", hint="Withdraw some.")


@dataclass(frozen=True)
class SubmissionRequest:
    """The data of a request to submit predictions."""

    sender: Sender
    suite: str
    name: str
    files: Sequence[UploadedFile]
    address: str
    task: str = ""
    draft: bool = False


def open_suites() -> list[Suite]:
    """Return the suites whose data is on this board, so that submissions can be scored."""
    return [suite for suite in load_suites() if any(has_split(task, suite.score_split) for task in suite.tasks.values())]


def open_suite(name: str) -> Suite | None:
    """Return an open suite by name, or None; never interprets the name as a path."""
    return next((suite for suite in open_suites() if suite.name == name), None)


def open_names() -> frozenset[str]:
    """Return the names of the open suites, cached for a minute because every page needs them."""
    return _open_names(int(monotonic() // 60))


@lru_cache(maxsize=1)
def _open_names(minute: int) -> frozenset[str]:
    return frozenset(suite.name for suite in open_suites())


def receive(asked: SubmissionRequest) -> tuple[CheckedSubmission, Upload | None]:
    """Validate an upload and store it if it has no problems. Raises QuotaError, TooManyUploads, WrongUse."""
    suite = load_suite(asked.suite)
    task = _task(suite, asked.task)
    _refuse_spent(asked, suite, task)
    count_attempt(asked.sender.member, asked.address)
    problems = outer_problems(asked.name, asked.files)
    if not asked.files:
        problems.append(Problem("empty-submission", "no file was sent.", hint="Choose a zip, or the prediction files."))
    if problems:
        return CheckedSubmission(suite, problems=problems), None
    with TemporaryDirectory(prefix="gluepot-upload-") as folder:
        checked = check(suite, lay_out_files(asked.files, Path(folder)), task)
    if not checked.is_sound:
        return checked, None
    if not has_room(asked.sender.team.pk, len(checked.packed)):
        checked.problems.append(NO_ROOM)
        return checked, None
    return checked, accept(checked, asked.sender, asked.name, named_files(asked.files), asked.task, draft=asked.draft)


def named_files(files: Sequence[UploadedFile]) -> str:
    """Return the name of the uploaded file, or the number of files."""
    return (files[0].name or "") if len(files) == 1 else f"{len(files)} files" if files else ""


def _task(suite: Suite, name: str) -> Task | None:
    if name and name not in suite.tasks:
        raise WrongUse(f"{suite.name} has {unknown('task', name, suite.tasks)}")
    return suite.tasks[name] if name else None


def _refuse_spent(asked: SubmissionRequest, suite: Suite, task: Task | None) -> None:
    """Raise QuotaError if no task has a slot left, before any file is read."""
    names = [task.name] if task else list(suite.tasks)
    spent = uses(asked.sender.team, suite, names)
    if not asked.draft and all(not use.left for use in spent):
        raise QuotaError(spent)


def outer_problems(named: str, files: Sequence[UploadedFile]) -> list[Problem]:
    """Return the problems of the submission's name and file names, without opening the files."""
    problems = Problems()
    if not named.strip() or len(named) > LONGEST_NAME:
        problems.add("missing-name", f"a name of 1 to {LONGEST_NAME} characters is needed.", hint="Name the system that made the answers.")
    seen = set()
    for file in files:
        name = file.name or ""
        if has_safe_name(name, problems) and name in seen:
            problems.add("duplicate-entry", "two files of this name were sent.", file=name, hint="Send one of them.")
        seen.add(name)
    return problems.listed()


def lay_out_files(files: Sequence[UploadedFile], folder: Path) -> Path:
    """Write uploaded files to a folder under their base names, sanitized by Django; return the folder, or the path of a single file."""
    for file in files:
        with (folder / Path(file.name or "file").name).open("wb") as copy:
            for piece in file.chunks():
                copy.write(piece)
    return folder / Path(files[0].name or "file").name if len(files) == 1 else folder
