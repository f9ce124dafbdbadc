"""Reads a whole submission: finds the files, pairs their rows, and keeps every problem."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gluepot.data.examples import Shape, load_examples
from gluepot.data.folders import find_files, split_name
from gluepot.data.submissions.bundles import Bundle, Entry, open_bundle
from gluepot.data.submissions.descriptions import Description, read_description
from gluepot.data.submissions.formats import FORMATS, Format, read_rows
from gluepot.data.submissions.pairing import Paired, Pairing
from gluepot.data.submissions.places import Elsewhere, Place, find_place
from gluepot.data.submissions.problems import Problems
from gluepot.errors import DataMissing
from gluepot.records import Suite, Task

ANSWERS = (".jsonl", ".csv", ".ndjson")


@dataclass
class Submission:
    """What a stranger sent, as far as it could be read."""

    model: str
    pairs: list[Paired] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    notices: list[str] = field(default_factory=list)
    unread: list[tuple[Place, str]] = field(default_factory=list)
    """Tasks that were answered but whose items are not here, and why."""
    description: Description | None = None


def read_submission(suite: Suite, path: Path, *, task: Task | None = None, split: str | None = None, invalid: str = "refuse") -> Submission:
    """A submission to `suite` at `path`: a folder, a zip, or one file."""
    form = FORMATS[suite.submission]
    problems = Problems()
    with open_bundle(path, problems) as bundle:
        submission = Submission(bundle.name, problems=problems, notices=bundle.notices)
        placed = _place_all(suite, bundle, submission, form, task, split)
        for place, entry in placed:
            _read_entry(place, entry, form, submission, invalid)
    if not submission.pairs and not submission.unread and not problems.count():
        problems.add("empty-submission", f"no predictions for {suite.name} in it.", file=path.name, hint=form.summary)
    return submission


def _place_all(
    suite: Suite, bundle: Bundle, submission: Submission, form: Format, task: Task | None, split: str | None
) -> list[tuple[Place, Entry]]:
    placed: dict[tuple[str, str], tuple[Place, Entry]] = {}
    for entry in bundle.entries:
        if form.describes and entry.name.endswith(".json") and submission.description is None:
            submission.description = read_description(entry, submission.problems)
            if submission.description:
                submission.model = submission.description.model
        elif not entry.name.lower().endswith(ANSWERS):
            submission.notices.append(f"{entry.name}: not a prediction file, ignored")
        else:
            place = _table_place(suite, form, entry) or find_place(suite, entry.name, split, task)
            _keep(place, entry, submission, placed, task, split)
    return list(placed.values())


def _table_place(suite: Suite, form: Format, entry: Entry) -> Place | None:
    if form.table is None or not entry.name.lower().endswith(".csv"):
        return None
    name, split = form.table
    return Place(suite.tasks[name], split)


def _keep(
    place: Place | Elsewhere, entry: Entry, submission: Submission, placed: dict[tuple[str, str], tuple[Place, Entry]],
    task: Task | None, split: str | None,
) -> None:
    if isinstance(place, Elsewhere):
        if place.code is None:
            submission.notices.append(f"{entry.name}: {place.message}")
        else:
            submission.problems.add(place.code, place.message, file=entry.name, hint=place.hint)
        return
    if task is not None and place.task.name != task.name or split is not None and place.split != split_name(place.task, split):
        return
    key = (place.task.name, place.split)
    if key in placed:
        submission.problems.add(
            "duplicate-task", f"{placed[key][1].name} answers {'/'.join(key)} too.", file=entry.name, hint="Score one submission at a time.",
        )
        return
    placed[key] = place, entry


def _read_entry(place: Place, entry: Entry, form: Format, submission: Submission, invalid: str) -> None:
    try:
        source, _ = find_files(place.task, place.split)
        examples = load_examples(place.task, place.split)
    except DataMissing as error:
        submission.unread.append((place, str(error)))
        return
    pairing = Pairing(Shape(place.task, source), examples, form, entry.name, submission.problems, invalid)
    try:
        with entry.open() as stream:
            pairing.take_all(read_rows(stream, entry.name, form, place.task, submission.problems))
    except (OSError, NotImplementedError, EOFError, RuntimeError, *_archive_errors()) as error:
        submission.problems.add("broken-archive", f"cannot be unpacked: {error}.", file=entry.name, hint="Pack the files again.")
    paired = pairing.finish(place.split)
    submission.pairs.append(paired)
    submission.notices += paired.notices


def _archive_errors() -> tuple[type[Exception], ...]:
    import zipfile
    import zlib

    return zipfile.BadZipFile, zlib.error


def stated_scores(submission: Submission) -> dict[tuple[str, str, str], Any]:
    """(task, split, metric) to the value that the submission states."""
    return submission.description.stated if submission.description else {}
