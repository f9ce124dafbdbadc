"""Intake of programs: validated, identified by a digest, counted against the quota and queued for moderators. Nothing is run here."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from gluepot.board.accounts.models import Team
from gluepot.board.importing.drafts import clean, digest_of
from gluepot.board.moderation.audit import record
from gluepot.board.submitting.intake.acceptance import AnsweredTask, Sender
from gluepot.board.submitting.intake.quotas import QuotaError, take_slots, uses
from gluepot.board.submitting.intake.rate_limits import count_attempt, has_room
from gluepot.board.submitting.intake.receiving import NO_ROOM, lay_out_files, named_files, outer_problems
from gluepot.board.submitting.models import SubmittedProgram, Transition, Upload
from gluepot.board.submitting.programs.contents import ProgramContent, parse_program, read_content
from gluepot.board.submitting.states import State, move
from gluepot.data.folders import has_split
from gluepot.errors import WrongUse, unknown
from gluepot.records import Problem, Suite
from gluepot.submissions.opening.entries import displayed
from gluepot.tasks.declarations import load_suite


@dataclass(frozen=True)
class ProgramRequest:
    """The data of a request to run a program on some tasks."""

    sender: Sender
    suite: str
    name: str
    program: str
    tasks: Sequence[str]
    files: Sequence[UploadedFile]
    address: str


def propose(asked: ProgramRequest) -> tuple[list[Problem], Upload | None]:
    """Validate a program; return all problems, or a submission that waits for permission. Raises QuotaError, TooManyUploads, WrongUse."""
    suite = load_suite(asked.suite)
    kind, words = parse_program(asked.program)
    tasks = chosen_tasks(suite, asked.tasks)
    spent = [use for use in uses(asked.sender.team, suite, tasks) if not use.left]
    if spent:
        raise QuotaError(spent)
    count_attempt(asked.sender.member, asked.address)
    problems = outer_problems(asked.name, asked.files)
    if problems:
        return problems, None
    with TemporaryDirectory(prefix="gluepot-upload-") as folder:
        content = read_content(kind, words, lay_out_files(asked.files, Path(folder)) if asked.files else None)
    if not content.problems and not has_room(asked.sender.team.pk, len(content.packed)):
        content.problems.append(NO_ROOM)
    return content.problems, None if content.problems else keep_proposal(asked, suite, tasks, content)


def chosen_tasks(suite: Suite, names: Sequence[str]) -> list[str]:
    """Return the named tasks in the suite's order. Raises WrongUse if there are none, or for tasks unknown or without data here."""
    wanted = [name for given in names for name in given.replace(",", " ").split()]
    for name in wanted:
        if name not in suite.tasks:
            raise WrongUse(f"{suite.name} has {unknown('task', name, suite.tasks)}")
        if not has_split(suite.tasks[name], suite.score_split):
            raise WrongUse(f"{name}: the board has no items of it here, so nothing can be run on it.")
    if not wanted:
        raise WrongUse(f"a program needs tasks to be run on. {suite.name} has {', '.join(suite.tasks)}.")
    return [name for name in suite.tasks if name in wanted]


def keep_proposal(asked: ProgramRequest, suite: Suite, tasks: Sequence[str], content: ProgramContent) -> Upload:
    """Store a program, take its slots and queue it for moderators, in one transaction; return the existing submission for a duplicate."""
    actor, digest = str(asked.sender.member.pk), digest_of("program", content.digest, list(tasks))
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=asked.sender.team.pk)
        same = Upload.objects.filter(team=asked.sender.team, suite=suite.name, version=suite.version, digest=digest)
        found = same.exclude(state__in=[State.WITHDRAWN, State.REFUSED]).first()
        if found is not None:
            return found
        upload = Upload.objects.create(
            team=asked.sender.team,
            member=asked.sender.member,
            suite=suite.name,
            version=suite.version,
            name=clean(displayed(asked.name.strip()))[:150],
            filename=clean(displayed(named_files(asked.files)))[:255],
            size=len(content.packed),
            digest=digest,
            tasks=[vars(AnsweredTask(name, suite.tasks[name].title, suite.score_split, "", 0)) for name in tasks],
            state=State.DRAFT,
        )
        Transition.objects.create(upload=upload, state=State.DRAFT, actor=actor)
        program = SubmittedProgram(upload=upload, kind=content.kind, words=content.words, digest=content.digest)
        program.files = msgspec.to_builtins(content.files)
        program.file.name = f"programs/{upload.key}.zip" if content.packed else ""
        program.save()
        take_slots(upload, suite, tasks)
        move(upload, State.PROPOSED, actor)
        if content.packed:
            program.file.storage.save(program.file.name, ContentFile(content.packed))
        record(actor, "proposed a program", str(upload.key), suite=suite.name, digest=content.digest)
    return upload
