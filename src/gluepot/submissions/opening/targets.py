"""Task and split that a file of a submission answers, resolved from its path alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from gluepot.data.folders import split_name
from gluepot.errors import WrongUse, canonical_name, unknown
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import load_suites

SPLITS = ("train", "dev", "val", "validation", "test", "all")
_TAIL = re.compile(r"[._\- ]+")


@dataclass(frozen=True)
class Target:
    """A task and one of its splits."""

    task: Task
    split: str


@dataclass(frozen=True)
class UnmatchedFile:
    """A file that answers nothing: a problem if it should have, otherwise a notice."""

    message: str
    code: str | None = None
    hint: str = ""


def resolve_target(suite: Suite, name: str, split: str | None, task: Task | None = None) -> Target | UnmatchedFile:
    """Resolve `nli/test.jsonl`, `test/nli.jsonl`, `nli_test.jsonl` or `nli.jsonl`, below any wrapping folders.

    `split` applies to files that name none, `task` to all files, whatever they name.
    """
    parts = list(_parts(suite, name))
    named = task or path_task(suite, name)
    if named is None:
        return _unknown_task(suite, name)
    stated = next((part.lower() for part in parts if part.lower() in SPLITS), None)
    wanted = stated or split or suite.score_split
    known = same_split(named, wanted)
    return Target(named, known) if known else UnmatchedFile(f"{named.name} has no {wanted} split: ignored")


def path_task(suite: Suite, name: str) -> Task | None:
    """Return the task that a path names, in its file or in a folder."""
    return next((found for part in _parts(suite, name) if (found := named_task(suite, part))), None)


def same_split(task: Task, split: str) -> str | None:
    """Return the task's own name of a split, or None."""
    try:
        return split_name(task, split)
    except WrongUse:
        return None


def named_task(suite: Suite, name: str) -> Task | None:
    """Return the task of a name, in any spelling that differs in case or `_`."""
    return next((task for task in suite.tasks.values() if canonical_name(task.name) == canonical_name(name)), None)


def _parts(suite: Suite, name: str) -> Iterator[str]:
    """Yield the names in a path, the last part first: the file as a whole, split into task and split, then the folders."""
    path = PurePosixPath(name.replace("\\", "/"))
    yield path.stem
    if named_task(suite, path.stem) is None:
        *head, tail = _TAIL.split(path.stem)
        yield from (tail, path.stem[: -len(tail)].rstrip("._- ")) if head and tail.lower() in SPLITS else ()
    yield from reversed(path.parent.parts)


def _unknown_task(suite: Suite, name: str) -> UnmatchedFile:
    path = PurePosixPath(name.replace("\\", "/"))
    called = path.parent.name if path.stem.lower() in SPLITS and path.parent.name else path.stem
    others = [other.name for other in load_suites() if other.name != suite.name and named_task(other, called)]
    hint = f"It is a task of {others[0]}: `gluepot score {others[0]} …`." if others else "Name the file after its task."
    return UnmatchedFile(f"{suite.name} has {unknown('task', called, suite.tasks)}", "unknown-task", hint)
