"""Suites with made-up scores and predictions on the board: real items, and errors chosen by the test."""

import gzip
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from gluepot.data.examples import load_examples
from gluepot.records import Example, Task
from gluepot.runs.comparison.merits import item_merits
from gluepot.runs.storage.store import plain
from gluepot.tasks.declarations import find, load_suite


def open_suite(name: str) -> Any:
    """Create a suite version without entries."""
    from gluepot.board.models import Revision, SuiteVersion

    declared = load_suite(name)
    Revision.objects.get_or_create(pk=1, defaults={"number": 1})
    return SuiteVersion.objects.create(name=name, version=declared.version, declaration=msgspec.to_builtins(declared))


def add_system(version: Any, slug: str, **facts: Any) -> Any:
    """Add an entry of a system, created if needed."""
    from gluepot.board.models import Entry, System

    system = System.objects.get_or_create(slug=slug, defaults={"name": facts.pop("name", slug.upper()), **facts})[0]
    return Entry.objects.create(system=system, suite=version, kind="run", source="made up", digest=f"{version.pk}/{slug}", gluepot="0")


def add_score(entry: Any, task: str, metric: str, value: float | None, **more: Any) -> Any:
    from gluepot.board.models import Score

    row: dict[str, Any] = {"split": "test", "verified": True, "n": 40, **more}
    return Score.objects.create(entry=entry, task=task, metric=metric, value=value, **row)


def items_of(path: str, split: str = "test") -> tuple[Task, list[Example]]:
    task = find(path)[1]
    assert task is not None
    return task, load_examples(task, split)


def add_answers(entry: Any, task: Task, split: str, examples: Sequence[Example], outputs: Sequence[Any]) -> Any:
    """Store predictions as an import does."""
    from django.core.files.base import ContentFile

    from gluepot.board.models import Answers

    lines = msgspec.json.Encoder().encode_lines([{"id": e.id, "prediction": plain(o)} for e, o in zip(examples, outputs, strict=True)])
    merits = item_merits(task, examples, outputs).astype(np.float32).tobytes()
    answers = Answers(entry=entry, task=task.name, split=split, merits=merits)
    answers.file.save(f"answers/{entry.pk}-{task.name}-{split}.jsonl.gz", ContentFile(gzip.compress(lines)))
    return answers
