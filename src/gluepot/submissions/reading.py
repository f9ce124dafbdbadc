"""Reading of a whole submission: finds the files, pairs their rows, and collects every problem."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

from gluepot.data.examples import Shape, load_examples, read_records
from gluepot.data.folders import find_files, split_name
from gluepot.errors import DataMissing, WrongUse, unknown
from gluepot.plurals import pluralize
from gluepot.records import Suite, Task
from gluepot.submissions.descriptions import Description, read_description
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.opening.entries import Bundle, SubmissionFile
from gluepot.submissions.opening.targets import SPLITS, Target, UnmatchedFile, named_task, resolve_target, same_split
from gluepot.submissions.opening.zips import BROKEN, DAMAGED, explain
from gluepot.submissions.pairing import PairedAnswers, Pairing
from gluepot.submissions.pairing.answering import Answering, Budget
from gluepot.submissions.pairing.items import ItemPairing, longest_row
from gluepot.submissions.parsing.rows import read_rows
from gluepot.submissions.problems import Problems
from gluepot.tasks.formats import FORMATS, SubmissionFormat

ANSWERS = (".jsonl", ".ndjson")


@dataclass
class Submission:
    """An untrusted submission, as far as it could be read."""

    model: str
    pairs: list[PairedAnswers] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    notices: list[str] = field(default_factory=list)
    unread: list[tuple[Target, str]] = field(default_factory=list)
    """Answered tasks whose items are not available, with the reason."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Files that were not read, with the reason unless they just answer nothing."""
    description: Description | None = None

    def join(self, part: "Submission") -> None:
        """Add the results of one task."""
        self.pairs += part.pairs
        self.problems.join(part.problems)
        self.notices += part.notices
        self.unread += part.unread
        self.skipped |= part.skipped


@dataclass
class ReadingRequest:
    """Settings of one reading: the suite, one task or split of it, and the treatment of answers outside the labels."""

    suite: Suite
    form: SubmissionFormat
    task: Task | None = None
    split: str | None = None
    invalid: str = "refuse"
    budget: Budget = field(default_factory=Budget)
    unwanted: set[str] = field(default_factory=set)
    """Tasks and splits that the submission answers beyond the request."""

    def wants(self, place: Target) -> bool:
        right_task = self.task is None or place.task.name == self.task.name
        right_split = self.split is None or place.split == same_split(place.task, self.split)
        if not (right_task and right_split):
            self.unwanted.add(f"{place.task.name} {place.split}")
        return right_task and right_split


TaskFiles = list[tuple[Target, SubmissionFile]]
"""Files that answer one task on one split: one, if all is well."""
FilesByTask = dict[tuple[str, str], TaskFiles]
ReadPart = Callable[[TaskFiles], Submission]
ReadAll = Callable[[Sequence[TaskFiles], ReadPart], Iterable[Submission]]


def read_sequentially(places: Sequence[TaskFiles], read: ReadPart) -> Iterable[Submission]:
    return map(read, places)


def read_submission(
    suite: Suite,
    path: Path,
    *,
    task: Task | None = None,
    split: str | None = None,
    invalid: str = "refuse",
    read_all: ReadAll = read_sequentially,
) -> Submission:
    """Read a submission to `suite` at `path`: a folder, a zip, or one file. Tasks are independent: `read_all` reads all of them."""
    _check_split(suite, task, split)
    asked = ReadingRequest(suite, FORMATS[suite.submission], task, split, invalid)
    problems = Problems()
    with open_bundle(path, problems) as bundle:
        submission = Submission(bundle.name, problems=problems, notices=bundle.notices, skipped=dict.fromkeys(bundle.junk, ""))
        placed = _place_all(asked, bundle, submission)
        for part in read_all(list(placed.values()), partial(_read_part, asked, problems)):
            submission.join(part)
    if not placed and not problems.count():
        _say_empty(asked, submission)
    return submission


def _read_part(asked: ReadingRequest, known: Problems, found: TaskFiles) -> Submission:
    part = Submission("", problems=Problems(known))
    if len(found) == 1:
        _read_entry(*found[0], asked, part)
    else:
        _refuse_twins(found, part.problems)
    return part


def _say_empty(asked: ReadingRequest, submission: Submission) -> None:
    wanted = " ".join([asked.task.path if asked.task else asked.suite.name, asked.split or ""]).rstrip()
    hint = f"It answers {', '.join(sorted(asked.unwanted)[:10])}." if asked.unwanted else asked.form.summary
    submission.problems.add("empty-submission", f"no predictions for {wanted} in it.", file=submission.model, hint=hint)


def _check_split(suite: Suite, task: Task | None, split: str | None) -> None:
    if split is not None and task is not None:
        split_name(task, split)
    elif split is not None and not any(same_split(one, split) for one in suite.tasks.values()):
        known = {name for one in suite.tasks.values() for source in one.sources for name in source.files}
        raise WrongUse(f"{suite.name}: {unknown('split', split, known)}")


def _place_all(asked: ReadingRequest, bundle: Bundle, submission: Submission) -> FilesByTask:
    placed: FilesByTask = {}
    for entry in bundle.entries:
        if _is_description(asked, entry, bundle) and submission.description is None:
            submission.description = read_description(entry, submission.problems, submission.notices)
            if submission.description:
                submission.model = submission.description.model
            continue
        place = _resolve_target(asked, entry, bundle)
        if isinstance(place, Target) and asked.wants(place):
            placed.setdefault((place.task.name, place.split), []).append((place, entry))
        elif isinstance(place, UnmatchedFile):
            _say_where(place, entry, submission)
    return placed


def _is_description(asked: ReadingRequest, entry: SubmissionFile, bundle: Bundle) -> bool:
    path = PurePosixPath(entry.name)
    if not asked.form.describes or bundle.single or path.suffix != ".json":
        return False
    return path.stem == bundle.name or not _names_task(asked, path)


def _names_task(asked: ReadingRequest, path: PurePosixPath) -> bool:
    """Return whether a file is named after a task, or after a split in a task's folder."""
    by_split = path.stem.lower() in SPLITS and isinstance(resolve_target(asked.suite, str(path), None), Target)
    return by_split or named_task(asked.suite, path.stem) is not None


def _resolve_target(asked: ReadingRequest, entry: SubmissionFile, bundle: Bundle) -> Target | UnmatchedFile:
    """Resolve the task of a file; one bare file for one task belongs to it whatever its name."""
    path = PurePosixPath(entry.name)
    table = asked.form.table
    if table and path.suffix.lower() == ".csv" and table[0] in asked.suite.tasks:
        return Target(asked.suite.tasks[table[0]], table[1])
    alone = asked.task if bundle.single else None
    if path.suffix.lower() in ANSWERS or (alone and path.suffix.lower() != ".csv"):
        return resolve_target(asked.suite, entry.name, asked.split, alone)
    if alone or _names_task(asked, path):
        hint = "Write one JSON object a line, in a file that ends in .jsonl."
        return UnmatchedFile(f"a task's answers are not read from {path.suffix or 'a file without ending'}.", "unsupported-format", hint)
    return UnmatchedFile("not a prediction file, ignored")


def _say_where(place: UnmatchedFile, entry: SubmissionFile, submission: Submission) -> None:
    if place.code is None:
        submission.skipped[entry.name] = ""
        submission.notices.append(f"{entry.name}: {place.message}")
    else:
        submission.problems.add(place.code, place.message, file=entry.name, hint=place.hint)


def _refuse_twins(found: list[tuple[Target, SubmissionFile]], problems: Problems) -> None:
    names = [entry.name for _, entry in found]
    for place, entry in found:
        others = ", ".join(name for name in names if name != entry.name)
        message = f"{others} {'answers' if len(names) == 2 else 'answer'} {place.task.name} {place.split} too; none was scored."
        problems.add("duplicate-task", message, file=entry.name, hint="Keep one of them, or score each by itself.")


def _read_entry(place: Target, entry: SubmissionFile, asked: ReadingRequest, submission: Submission) -> None:
    try:
        source, _ = find_files(place.task, place.split)
        examples = load_examples(place.task, place.split)
    except DataMissing as error:
        submission.unread.append((place, str(error)))
        submission.skipped[entry.name] = str(error)
        return
    items = ItemPairing(Shape(place.task, source), examples, asked.form, _row_numbers(place, asked.form))
    answering = Answering(place.task, asked.form, asked.invalid, asked.budget)
    pairing = Pairing(items, answering, entry.name, submission.problems)
    _take_all(pairing, entry, asked.form)
    paired = pairing.finish(place.split)
    submission.pairs.append(paired)
    submission.notices += paired.notices
    published = source.rows.get(place.split, 0) if source.counts == "items" else 0
    if not paired.sound and published > len(examples):
        submission.notices.append(f"{place.task.path} {place.split}: the data here has {len(examples):,} of {pluralize(published, 'item')}")


def _row_numbers(place: Target, form: SubmissionFormat) -> list[Any]:
    """Return the data's `idx` of each item if it is no id but must agree all the same."""
    source, _, records = read_records(place.task, place.split)
    return [record.get("idx") for record in records] if form.own_answers and Shape(place.task, source).id is None else []


def _take_all(pairing: Pairing, entry: SubmissionFile, form: SubmissionFormat) -> None:
    try:
        stream = entry.open()
    except BROKEN as error:
        pairing.problems.add("unreadable", f"cannot be opened: {explain(error)}.", file=entry.name, hint="Pack or copy the file again.")
        return
    with stream:
        try:
            longest = cache(lambda: longest_row(pairing.examples))
            pairing.take_all(read_rows(stream, entry.name, form, pairing.answering.task, pairing.problems, longest))
        except DAMAGED as error:
            message = f"cannot be read to its end: {explain(error)}."
            pairing.problems.add("unreadable", message, file=entry.name, hint="Pack or copy the file again.")
