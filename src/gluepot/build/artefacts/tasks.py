"""Artefact reports of declared tasks, from their data files."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from gluepot.build.artefacts.cache import cached_report
from gluepot.build.artefacts.leaks import SplitLeak, find_leaks
from gluepot.build.artefacts.report import Artefact, find_artefacts
from gluepot.data.checks.material import read_material
from gluepot.data.folders import available_splits, find_files
from gluepot.records import Example, Task
from gluepot.tasks import KINDS

MOST_LABELS = 30


class TaskArtefacts(Struct, frozen=True):
    """Annotation artefacts of a task, as far as single features reveal them."""

    task: str
    title: str
    balance: dict[str, dict[str, int]]
    """Number of items by split and label."""
    duplicates: dict[str, int]
    """Number of items by split that duplicate an earlier one."""
    artefacts: list[Artefact]
    leaks: list[SplitLeak]


def task_artefacts(task: Task) -> TaskArtefacts:
    """Return the report of a task with local files; cached as long as files and declaration stay the same."""
    files = [path for split in available_splits(task) for path in find_files(task, split)[1]]
    return cached_report(task, files, TaskArtefacts, lambda: _look(task))


def _look(task: Task) -> TaskArtefacts:
    kind = KINDS[task.kind]
    splits = {name: split.examples for name, split in read_material(task).splits.items()}
    return TaskArtefacts(
        task.path,
        task.title,
        {name: balance for name, examples in splits.items() if (balance := _balance(examples))},
        {name: repeated for name, examples in splits.items() if (repeated := _repeated(examples))},
        find_artefacts(kind, splits),
        find_leaks(kind, splits),
    )


def suite_artefacts(tasks: Iterable[Task], progress: Callable[[Task], None] = lambda _: None) -> list[TaskArtefacts]:
    """Return one report per task with local files."""
    found = []
    for task in tasks:
        if available_splits(task):
            progress(task)
            found.append(task_artefacts(task))
    return found


def _balance(examples: Sequence[Example]) -> dict[str, int]:
    counts = Counter(str(e.target) for e in examples if isinstance(e.target, str | bool | int))
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))) if 0 < len(counts) <= MOST_LABELS else {}


def _repeated(examples: Sequence[Example]) -> int:
    counts = Counter(repr(sorted(e.inputs.items(), key=lambda one: one[0])) for e in examples)
    return sum(count - 1 for count in counts.values())
