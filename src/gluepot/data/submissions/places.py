"""Which task and split a file of a submission answers, from its path alone."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from gluepot.errors import fold, unknown
from gluepot.records import Suite, Task

SPLITS = ("train", "dev", "val", "validation", "test", "all")


@dataclass(frozen=True)
class Place:
    """A task and one of its splits."""

    task: Task
    split: str


@dataclass(frozen=True)
class Elsewhere:
    """A file that answers nothing: a problem if it should have, otherwise a notice."""

    message: str
    code: str | None = None
    hint: str = ""


def find_place(suite: Suite, name: str, split: str | None, task: Task | None = None) -> Place | Elsewhere:
    """`swenli/test.jsonl`, `test/swenli.jsonl`, `swenli_test.jsonl` or `swenli.jsonl`, below any wrapping folders."""
    path = PurePosixPath(name.replace("\\", "/"))
    stem, parent = path.stem, path.parent.name
    named = _task(suite, stem) or _task(suite, parent)
    stated = _split(stem) or (_split(parent) if _task(suite, stem) else None)
    if named is None:
        head, _, tail = stem.replace(".", "_").rpartition("_")
        named, stated = (_task(suite, head), tail) if _split(tail) else (None, stated)
    if named is None and task is not None:
        named = task
    if named is None:
        guess = unknown("task", parent if _split(stem) else stem, suite.tasks)
        return Elsewhere(f"{suite.name} has {guess}", "unknown-task", "Name the file after its task.")
    return _resolve(suite, named, stem, stated, split)


def _resolve(suite: Suite, task: Task, stem: str, stated: str | None, split: str | None) -> Place | Elsewhere:
    if stated is None and _task(suite, stem) is None and fold(stem) not in (fold(task.name), ""):
        stated = split or suite.score_split
    wanted = stated or split or suite.score_split
    known = {name for source in task.sources for name in source.files}
    same = {wanted, "dev", "val", "validation"} if wanted in ("dev", "val", "validation") else {wanted}
    found = sorted(known & same)
    if not found:
        return Elsewhere(f"{task.name} has no {wanted} split: ignored")
    return Place(task, found[0])


def _task(suite: Suite, name: str) -> Task | None:
    return next((task for task in suite.tasks.values() if fold(task.name) == fold(name)), None)


def _split(name: str) -> str | None:
    return name.lower() if name.lower() in SPLITS else None
