"""Execution of allowed programs by a worker: unpacking, measurement in a sandbox, acceptance of the predictions."""

import shlex
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic

import msgspec
from django.core.files.base import ContentFile
from django.utils import timezone

from gluepot.board.importing.drafts import clean
from gluepot.board.submitting.intake.acceptance import check
from gluepot.board.submitting.models import SubmittedProgram, Upload
from gluepot.board.submitting.programs.contents import COMMAND, content_digest, lay_out
from gluepot.board.submitting.programs.settings import FEWEST, REPEATS, all_seconds, readable_folders, run_limits
from gluepot.data.examples import load_examples
from gluepot.data.folders import split_name
from gluepot.efficiency.figures import Figures
from gluepot.efficiency.figures.timings import BATCH
from gluepot.efficiency.hardware import HardwareProfile, read_profile
from gluepot.efficiency.measurement.measuring import MeasureRequest, measure
from gluepot.efficiency.measurement.questions import TimedQuestions
from gluepot.efficiency.measurement.requests import folder_name
from gluepot.errors import GluepotError
from gluepot.models.command import AnySandbox
from gluepot.programs.containers.engines import find_engine
from gluepot.programs.containers.probing import probe_container
from gluepot.programs.containers.sandbox import ContainerSandbox
from gluepot.programs.execution import Program, run_program
from gluepot.programs.folders import FolderSandbox
from gluepot.records import Suite, Task

LONGEST_REASON = 1000


class RunRefused(GluepotError):
    """Raised when a program cannot be run here: its content is missing or differs from what was allowed, or there is no sandbox."""


class ProgramFailedError(GluepotError):
    """Raised when a program ran without producing predictions that can be scored; a legitimate result, with its reason."""


def run_submitted(upload: Upload, suite: Suite) -> None:
    """Run the program of a submission and store its predictions and efficiency figures, which another worker then finds done."""
    program = SubmittedProgram.objects.get(upload=upload)
    with workplace(str(upload.key)) as place:
        bench = ProgramBench(upload, suite, place, find_sandbox(program, place))
        try:
            figures = bench.measure_all()
        finally:
            store_records(program, bench.records)
        reason = next((f"{task}: {failure_reason(one)}" for task, one in figures.items() if one.failure), "")
        program.figures = clean(msgspec.to_builtins(figures))
        program.ran = timezone.now()
        program.save(update_fields=["figures", "ran"])
        if reason:
            raise ProgramFailedError(clean(reason)[:LONGEST_REASON])
        store_predictions(upload, suite, bench.answers)


@contextmanager
def workplace(key: str) -> Iterator[Path]:
    """Provide a private temporary folder for a submission, without the leftovers of a dead worker."""
    place = Path(tempfile.gettempdir()) / f"gluepot-program-{key}"
    if place.is_dir():
        shutil.rmtree(place)
    place.mkdir(mode=0o700)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def find_sandbox(program: SubmittedProgram, place: Path) -> AnySandbox:
    """Return a sandbox with exactly the allowed content. Raises RunRefused."""
    folder = place / "program"
    folder.mkdir()
    try:
        files = []
        if program.file.name:
            with program.file.storage.open(program.file.name, "rb") as stream:
                files = lay_out(stream, folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise RunRefused("its files are not in the store any more. Please send them again.") from error
    found = content_digest(program.kind, program.words, files)
    if program.permission != SubmittedProgram.Permission.ALLOWED or found != program.digest:
        raise RunRefused("what is in the store is not what a moderator allowed. It was not run; please send it again.")
    try:
        if program.kind == COMMAND:
            return tried_sandbox(FolderSandbox(folder, run_limits(all_seconds()), readable_folders()))
        engine = find_engine()
        return probe_container(ContainerSandbox(engine, engine.fetch(shlex.split(program.words)[0]), run_limits(all_seconds())))
    except (GluepotError, subprocess.TimeoutExpired) as error:
        raise RunRefused(f"this board cannot run it: {error}") from error


def tried_sandbox(sandbox: FolderSandbox) -> FolderSandbox:
    """Return the sandbox after a no-op run in it; raises GluepotError if that fails, which is the machine's fault, not the program's."""
    outcome = run_program(sandbox.fence(Program(("true",), run_limits(60.0))))
    if outcome.code:
        raise GluepotError(f"its sandbox does not start. {outcome.said[-1] if outcome.said else ''}".rstrip())
    return sandbox


def failure_reason(figures: Figures) -> str:
    """Return the reason for missing figures. A timeout is of all runs together: each gets only the remaining time."""
    if figures.breach == "time":
        return f"all its runs together took more than {all_seconds() / 60:,.0f} minutes, and it was ended."
    return figures.failure


class ProgramBench:
    """The runs of one submission, with one deadline for all."""

    def __init__(self, upload: Upload, suite: Suite, place: Path, sandbox: AnySandbox) -> None:
        self.upload, self.suite, self.sandbox = upload, suite, sandbox
        self.records, self.answers = place / "records", place / "answers"
        self.words = tuple(shlex.split(upload.program.words))
        self.end = monotonic() + all_seconds()

    def measure_all(self) -> dict[str, Figures]:
        """Measure task by task, stopping at the first failure."""
        profile, found = read_profile(), {}
        for name in dict.fromkeys(one["task"] for one in self.upload.tasks):
            found[name] = self._measure(self.suite.tasks[name], profile)
            if found[name].failure:
                break
        return found

    def _measure(self, task: Task, profile: HardwareProfile) -> Figures:
        """Measure the program on all items of the ranked split, with repeats, and save its predictions."""
        split = split_name(task, self.suite.score_split)
        questions = TimedQuestions(task, load_examples(task, split))
        figures = measure(
            MeasureRequest(
                model=self.upload.name,
                suite=self.suite,
                task=task,
                split=split,
                program=self._program,
                questions=questions,
                folder=self.records / folder_name(self.upload.name) / task.name,
                profile=profile,
                records=max(FEWEST, len(questions.examples)),
                batch=BATCH,
                repeats=REPEATS,
                sandbox=self.sandbox.title,
            )
        )
        if not figures.failure:
            place = self.answers / task.name / f"{split}.jsonl"
            place.parent.mkdir(parents=True)
            rows = ({"id": name, "prediction": answer} for name, answer in questions.first.items())
            place.write_bytes(msgspec.json.Encoder().encode_lines(rows))
        return figures

    def _program(self, batch: int) -> Program:
        """Return the sandboxed program with the remaining time as its limit."""
        words = (*self.words, "--batch-size", str(batch))
        plain = Program(words, run_limits(max(1.0, self.end - monotonic())), name=self.words[0])
        return self.sandbox.fence(plain)


def store_records(program: SubmittedProgram, folder: Path) -> None:
    """Store the raw records of all runs as one zip, successful or not."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                archive.write(path, path.relative_to(folder).as_posix())
    name = f"records/{program.upload.key}.zip"
    program.records.storage.delete(name)
    program.records.name = program.records.storage.save(name, ContentFile(packed.getvalue()))
    program.save(update_fields=["records"])


def store_predictions(upload: Upload, suite: Suite, folder: Path) -> None:
    """Store a program's predictions as those of the submission, validated as strictly as uploaded ones. Raises ProgramFailedError."""
    checked = check(suite, folder)
    if not checked.is_sound:
        first = next(iter(checked.problems), None)
        raise ProgramFailedError(clean(f"its answers cannot be scored: {first or 'there are none'}")[:LONGEST_REASON])
    name = f"submissions/{upload.key}.zip"
    upload.file.storage.delete(name)
    upload.file.name = upload.file.storage.save(name, ContentFile(checked.packed))
    upload.tasks, upload.notices = [vars(one) for one in checked.tasks], clean(checked.notices)
    upload.save(update_fields=["file", "tasks", "notices"])
