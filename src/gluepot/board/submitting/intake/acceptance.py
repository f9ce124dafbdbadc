"""Acceptance of submissions: validation with the reader of `gluepot score`, repacking of the predictions alone, quota, queueing."""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction

from gluepot.board.accounts.models import Member, Team
from gluepot.board.importing.drafts import clean
from gluepot.board.importing.predictions import answer_lines
from gluepot.board.moderation.audit import record
from gluepot.board.submitting.intake.quotas import take_slots
from gluepot.board.submitting.models import Transition, Upload
from gluepot.board.submitting.states import State, move
from gluepot.records import Problem, Suite, Task
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.opening.entries import displayed
from gluepot.submissions.opening.targets import same_split
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.problems import Problems
from gluepot.submissions.reading import read_submission

READERS = BoundedSemaphore(2)
"""Limits the number of submissions read concurrently, so that the other threads stay free for visitors."""


@dataclass(frozen=True)
class AnsweredTask:
    """A task that a submission answers."""

    task: str
    title: str
    split: str
    file: str
    answers: int


@dataclass
class CheckedSubmission:
    """The result of validating an upload: all its problems, or all that is stored of it."""

    suite: Suite
    tasks: list[AnsweredTask] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    packed: bytes = b""
    digest: str = ""

    @property
    def is_sound(self) -> bool:
        return bool(self.tasks) and not self.problems


def check(suite: Suite, path: Path, task: Task | None = None) -> CheckedSubmission:
    """Validate the submission at a path as `gluepot score` does, and pack it if it is valid; nothing is stored."""
    with READERS:
        submission = read_submission(suite, path, task=task, split=suite.score_split if task else None)
        checked = CheckedSubmission(suite, problems=submission.problems.listed(), notices=submission.notices[:100])
        checked.problems += [_missing(place.task, reason) for place, reason in submission.unread]
        sound = [paired for paired in submission.pairs if paired.sound and paired.split != "train"]
        ranked = any(paired.split == same_split(paired.task, suite.score_split) for paired in sound)
        if not ranked and not checked.problems:
            message = f"no answers to the {suite.score_split} split of {suite.name}, which is the one that is ranked."
            checked.problems.append(Problem("empty-submission", message, displayed(path.name)))
        if not checked.problems:
            checked.tasks = [_answered(paired) for paired in sound]
            checked.packed, checked.digest = _pack(path, sound), _digest(sound)
    return checked


def _missing(task: Task, reason: str) -> Problem:
    return Problem("data-missing", f"{task.name}: the board has no items of it here, so it cannot be scored.", hint=reason)


def _answered(paired: PairedAnswers) -> AnsweredTask:
    return AnsweredTask(paired.task.name, paired.task.title, paired.split, paired.file, len(paired.outputs) - paired.skipped)


def _pack(path: Path, sound: Sequence[PairedAnswers]) -> bytes:
    """Zip the files with valid predictions, unmodified, under names made of task and split."""
    places = {paired.file: f"{paired.task.name}/{paired.split}" for paired in sound}
    packed = BytesIO()
    with open_bundle(path, Problems()) as bundle, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in bundle.entries:
            if entry.name in places:
                suffix = PurePosixPath(entry.name).suffix.lower() or ".jsonl"
                with entry.open() as stream, archive.open(_member(places[entry.name] + suffix), "w") as kept:
                    while piece := stream.read(2**20):
                        kept.write(piece)
    return packed.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    """Return a zip entry with a fixed timestamp, so that archives are reproducible."""
    found = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    found.compress_type = zipfile.ZIP_DEFLATED
    return found


def _digest(sound: Sequence[PairedAnswers]) -> str:
    digest = sha256()
    for paired in sorted(sound, key=lambda one: one.task.name):
        digest.update(f"{paired.task.name}/{paired.split}\n".encode() + answer_lines(paired))
    return digest.hexdigest()


@dataclass(frozen=True)
class Sender:
    """The submitting member and the team that they submit for."""

    member: Member
    team: Team


def accept(checked: CheckedSubmission, sender: Sender, name: str, filename: str, task: str = "", *, draft: bool = False) -> Upload:
    """Store a valid submission and queue it unless a draft, in one transaction with the quota; a duplicate returns the existing one."""
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=sender.team.pk)
        same = Upload.objects.filter(team=sender.team, suite=checked.suite.name, version=checked.suite.version, digest=checked.digest)
        found = same.exclude(state__in=[State.WITHDRAWN, State.FAILED]).first()
        if found is not None:
            return found
        upload = Upload(
            team=sender.team,
            member=sender.member,
            suite=checked.suite.name,
            version=checked.suite.version,
            task=task,
            name=clean(displayed(name.strip()))[:150],
            filename=clean(displayed(filename))[:255],
            size=len(checked.packed),
            digest=checked.digest,
            tasks=[vars(one) for one in checked.tasks],
            notices=clean(checked.notices),
            state=State.DRAFT,
        )
        upload.file.name = f"submissions/{upload.key}.zip"
        upload.save()
        Transition.objects.create(upload=upload, state=State.DRAFT, actor=str(sender.member.pk))
        if not draft:
            queue(upload, checked.suite, str(sender.member.pk))
        upload.file.storage.save(upload.file.name, ContentFile(checked.packed))
        record(str(sender.member.pk), "submitted", str(upload.key), suite=checked.suite.name, digest=checked.digest)
    return upload


def queue(upload: Upload, suite: Suite, actor: str) -> None:
    """Take a slot of each task and queue the submission for scoring; its row must be locked or new."""
    from gluepot.board.submitting.tasks import defer_scoring

    take_slots(upload, suite, dict.fromkeys(one["task"] for one in upload.tasks))
    move(upload, State.QUEUED, actor)
    defer_scoring(upload)


def shown_problems(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return problems as plain data, as printed by `gluepot score --json`."""
    import msgspec

    return [msgspec.to_builtins(problem) for problem in problems]
