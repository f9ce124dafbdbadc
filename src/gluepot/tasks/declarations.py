"""Loading of suites and tasks from their TOML declarations, by name or path; an invalid declaration is rejected with all its mistakes."""

from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from gluepot.errors import WrongUse, canonical_name, unknown
from gluepot.notices import notify_once
from gluepot.records import Suite, Task, TrainingProtocol
from gluepot.tasks.declaration_checks import check_name, check_order, check_suite, check_task, check_trained_on
from gluepot.tasks.declaration_file import DeclarationFile, raise_mistakes
from gluepot.tasks.search_path import DECLARATION, find_folder, folder_at, is_path, nothing_at, suite_folders

_FILLED = ("name", "suite", "folder", "tasks")
"""Fields that are derived from the folders, not declared."""
Signature = tuple[tuple[str, int, int], ...]


def load_suites() -> list[Suite]:
    """Return all suites on the search path, alphabetically; an invalid suite is skipped with a notice."""
    found = []
    for folder in suite_folders().values():
        try:
            found.append(read_suite(folder))
        except WrongUse as error:
            notify_once(f"{folder.name} was left out. {error}")
    return found


def load_suite(place: str | Path) -> Suite:
    """Load a suite with its tasks, by path or by name, ignoring case and `_` for `-`."""
    suite, task = find(str(place))
    if task is not None:
        raise WrongUse(f"{place} is a task; a suite is meant here: {suite.name}.")
    return suite


def find(place: str) -> tuple[Suite, Task | None]:
    """Resolve `suite` or `suite/task`, by name or by path."""
    found = folder_at(place) if is_path(place) else None
    if found is None and is_path(place):
        raise WrongUse(nothing_at(place))
    if found is None:
        found = _by_name(place)
    suite = read_suite(found[0])
    return suite, find_task(suite, found[1]) if found[1] else None


def _by_name(place: str) -> tuple[Path, str]:
    name, _, task = place.partition("/")
    try:
        return find_folder(name), task
    except WrongUse:
        here = folder_at(place)
        if here is None:
            raise
        return here


def find_task(suite: Suite, name: str) -> Task:
    for task in suite.tasks.values():
        if canonical_name(task.name) == canonical_name(name):
            return task
    raise WrongUse(f"{suite.name}: {unknown('task', name, suite.tasks)}")


def read_suite(folder: Path) -> Suite:
    """Load a suite from its folder: `suite.toml` and one folder per task."""
    return _read_suite(folder, _signature(folder))


@lru_cache(maxsize=64)
def _read_suite(folder: Path, signature: Signature) -> Suite:
    """Read a suite, cached as long as its declarations are unchanged."""
    file = DeclarationFile(folder / DECLARATION)
    check_name(file, "a suite", folder.name)
    suite = file.convert(Suite, _FILLED)
    declared = sorted(path.parent.name for path in folder.glob("*/task.toml"))
    named = suite.order if suite else []
    order = sorted(declared, key=lambda name: named.index(name) if name in named else len(named))
    files = {name: DeclarationFile(folder / name / "task.toml") for name in order}
    tasks = {name: task for name in order if (task := _convert_task(files[name], folder / name)) is not None}
    learnable = [task.name for task in tasks.values() if any("train" in source.files for source in task.sources)]
    for name, task in tasks.items():
        check_trained_on(files[name], task, order, learnable if len(tasks) == len(order) else order)
        if suite is not None:
            _check_training(files[name], suite, task)
    if suite is not None:
        check_order(file, suite.order, declared)
        check_suite(file, suite, tasks, [name for name in order if name not in tasks])
    raise_mistakes(folder.name, [mistake for one in (file, *files.values()) for mistake in one.mistakes])
    assert suite is not None, "what has no mistakes is whole"
    return replace(suite, name=folder.name, folder=str(folder), tasks=tasks)


def read_task(folder: Path) -> Task:
    """Load a task from its folder and validate its kind, fields and metrics."""
    file = DeclarationFile(folder / "task.toml")
    task = _convert_task(file, folder)
    raise_mistakes(folder.name, file.mistakes)
    assert task is not None, "what has no mistakes is whole"
    return task


def _convert_task(file: DeclarationFile, folder: Path) -> Task | None:
    check_name(file, "a task", folder.name)
    task = file.convert(Task, _FILLED)
    if task is None:
        return None
    check_task(file, task)
    return None if file.mistakes else replace(task, suite=folder.parent.name, name=folder.name, folder=str(folder))


def _signature(folder: Path) -> Signature:
    """Return the cache key of a suite's declarations: paths, modification times and sizes."""
    files = [folder / DECLARATION, *sorted(folder.glob("*/task.toml"))]
    return tuple((str(path), (state := path.stat()).st_mtime_ns, state.st_size) for path in files if path.is_file())


def training_of(suite: Suite, task: Task) -> TrainingProtocol | None:
    """Return the training protocol of a suite with the overrides of a task, or None if the suite has none."""
    return suite.training and msgspec.convert({**msgspec.to_builtins(suite.training), **task.training}, TrainingProtocol)


def _check_training(file: DeclarationFile, suite: Suite, task: Task) -> None:
    if task.training and suite.training is None:
        file.mistake(("training",), "suite.toml has no [training] that a task could depart from.")
    elif suite.training is not None and task.training:
        whole = {key: value for key, value in msgspec.to_builtins(suite.training).items() if value is not None}
        file.check({**whole, **task.training}, TrainingProtocol, ("training",))
