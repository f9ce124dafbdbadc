"""Hidden labels: imported by a command, readable by the workers' database role only, joined to the items when a submission is scored."""

import hmac
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from gluepot.board.importing.predictions import ImportContext
from gluepot.board.submitting.models import HiddenLabels
from gluepot.data.examples import ABSENT, Shape, load_examples
from gluepot.data.folders import find_files, fingerprint
from gluepot.errors import GluepotError, InvalidOutput
from gluepot.plurals import pluralize
from gluepot.records import Example, Source, Suite, Task
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import Submission
from gluepot.tasks import KINDS
from gluepot.tasks.formats import READERS

Place = tuple[str, str]
"""The name of a task and one of its splits."""


class LabelError(GluepotError):
    """Raised when label files do not match the items; lists the problems."""


@dataclass(frozen=True)
class LabelSet:
    """The labels of one split with their secret salt."""

    answers: dict[str, Any]
    salt: str

    @property
    def digest(self) -> str:
        """Keyed hash of the labels; without the salt, guesses cannot be checked against it."""
        text = msgspec.json.encode(self.answers, order="deterministic")
        return hmac.new(self.salt.encode(), text, "sha256").hexdigest()[:16]


@dataclass(frozen=True)
class LabelledSubmission:
    """A submission whose items carry their labels, with the hidden label sets by task and split."""

    submission: Submission
    labels: dict[Place, LabelSet]

    def context(self, suite: Suite, owner: str, part: str = "") -> ImportContext:
        """Return the scoring context: resamples seeded with the secret salts, and data fingerprints that identify labels and half."""
        from gluepot.runs.scores.sharing import SharedResamples

        paths = {place: suite.tasks[place[0]].path for place in self.labels}
        bench = ImportContext(SharedResamples(secrets={(paths[place], place[1]): known.salt for place, known in self.labels.items()}))
        bench.owner = owner
        for place, known in self.labels.items():
            files = fingerprint(find_files(suite.tasks[place[0]], place[1])[1])
            bench.prints[f"{paths[place]}/{place[1]}"] = f"{files[:8]}{known.digest[:8]}{part}"
        return bench


def store_labels(suite: Suite, folder: Path) -> list[tuple[Task, str, int]]:
    """Import the label files of unlabelled splits found in a folder, after validating all of them against the items. Raises LabelError."""
    found = [(task, split, answers) for task, split, answers in _read_all(suite, folder)]
    if not found:
        names = [str(name) for task in suite.tasks.values() for split in task.data.unlabelled for name in _names(task.data, split)]
        hint = f"Wanted: {', '.join(names[:3])}…" if names else f"{suite.name} declares no split without answers (unlabelled)."
        raise LabelError(f"{folder}: no file with hidden answers of {suite.name} is in it. {hint}")
    for task, split, answers in found:
        place = {"suite": suite.name, "version": suite.version, "task": task.name, "split": split}
        packed = msgspec.json.encode(answers)
        HiddenLabels.objects.update_or_create(
            **place, defaults={"answers": packed}, create_defaults={**place, "answers": packed, "salt": secrets.token_hex(32)}
        )
    return [(task, split, len(answers)) for task, split, answers in found]


def _names(source: Source, split: str) -> list[str]:
    named = source.files.get(split, [])
    return [named] if isinstance(named, str) else list(named)


def _read_all(suite: Suite, folder: Path) -> Iterator[tuple[Task, str, dict[str, Any]]]:
    for task in suite.tasks.values():
        for split in task.data.unlabelled:
            files = [folder / name for name in _names(task.data, split)]
            if files and all(path.is_file() for path in files):
                yield task, split, _read(task, split, files)


def _read(task: Task, split: str, files: list[Path]) -> dict[str, Any]:
    """Return labels by item id, encoded as in the official file. Raises LabelError with up to five problems and a count of the rest."""
    shape, items = Shape(task, task.data), load_examples(task, split)
    records = list(READERS[task.data.reader](files, split))
    wrong = [] if len(records) == len(items) else [f"{pluralize(len(records), 'row')} for {pluralize(len(items), 'item')}"]
    answers: dict[str, Any] = {}
    for number, (record, item) in enumerate(zip(records, items, strict=False)):
        target = shape.target(record)
        if shape.read_id(record, number) != item.id.partition("#")[0] and shape.id is not None:
            wrong.append(f"row {number + 1} is {shape.read_id(record, number)!r} instead of {item.id!r}")
        elif target is ABSENT or target is None:
            wrong.append(f"row {number + 1} has no answer")
        else:
            try:
                shape.answer.gold(task, target, item.inputs)
                answers[item.id] = target
            except InvalidOutput as error:
                wrong.append(f"row {number + 1}: {error.message}")
    if wrong:
        more = f" … and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise LabelError(f"{files[0]}: not the answers to {task.path} {split}: {'; '.join(wrong[:5])}{more}. Nothing was kept.")
    return answers


def labelled(suite: Suite, submission: Submission) -> LabelledSubmission:
    """Return the submission with the hidden labels that this board has joined to its items; for workers."""
    rows = HiddenLabels.objects.filter(suite=suite.name, version=suite.version)
    known = {(row.task, row.split): LabelSet(msgspec.json.decode(bytes(row.answers)), row.salt) for row in rows}
    used: dict[Place, LabelSet] = {}
    pairs = []
    for paired in submission.pairs:
        place = paired.task.name, paired.split
        if place in known and paired.split in paired.task.data.unlabelled:
            used[place] = known[place]
            pairs.append(replace(paired, examples=_answered(paired, known[place])))
        else:
            pairs.append(paired)
    return LabelledSubmission(replace(submission, pairs=pairs), used)


def _answered(paired: PairedAnswers, known: LabelSet) -> list[Example]:
    form, task = KINDS[paired.task.kind].answer, paired.task
    examples = []
    for item in paired.examples:
        if item.id not in known.answers:
            raise GluepotError(f"{task.path} {paired.split}: the hidden answers lack {item.id!r}; bring them again: `board labels`.")
        examples.append(Example(item.id, item.inputs, form.gold(task, known.answers[item.id], item.inputs), item.group, item.tags))
    return examples
