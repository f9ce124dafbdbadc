"""Where a task's files lie: below $GLUEPOT_DATA, or beside its declaration for a suite that brings them."""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from gluepot.errors import DataMissing, WrongUse, unknown
from gluepot.records import Source, Task
from gluepot.tasks.declarations import SUITES, load_suite, suite_names

_SAME_SPLIT = ({"dev", "val", "validation"},)


def data_root() -> Path:
    """$GLUEPOT_DATA, or the place for data in the user's home."""
    named = os.environ.get("GLUEPOT_DATA")
    if named:
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "gluepot"


def suite_folder(suite: str) -> Path:
    """The folder with a suite's official files."""
    return SUITES / suite if brings_data(suite) else data_root() / suite


def brings_data(suite: str) -> bool:
    """Whether a suite's files come with it."""
    return suite in suite_names() and load_suite(suite).brings_data


def split_name(task: Task, split: str) -> str:
    """The task's own name of a split: dev, val and validation are one thing."""
    known = dict.fromkeys(name for source in task.sources for name in source.files)
    if split in known:
        return split
    for same in _SAME_SPLIT:
        if split in same and (found := same & known.keys()):
            return found.pop()
    raise WrongUse(f"{task.path}: {unknown('split', split, known)}")


def source_files(task: Task, source: Source, split: str) -> list[Path]:
    """The files of one split in one source, whether or not they are there."""
    folder = suite_folder(source.folder or task.suite)
    named = source.files.get(split, [])
    files = []
    for name in [named] if isinstance(named, str) else named:
        matches = sorted(folder.glob(name)) if "*" in name else []
        files += matches or [folder / name]  # a pattern without a match stands for a file that is not there
    return files


def find_files(task: Task, split: str) -> tuple[Source, list[Path]]:
    """The first source that has all files of a split."""
    split = split_name(task, split)
    for source in task.sources:
        files = source_files(task, source, split)
        if files and all(path.is_file() for path in files):
            return source, files
    first = next(files[0] for s in task.sources if (files := source_files(task, s, split)))
    raise DataMissing(
        f"{task.path}: the {split} split is not here ({first}). Get it with `gluepot data fetch {task.suite}`, "
        "or point GLUEPOT_DATA at a folder that has it."
    )


def has_split(task: Task, split: str) -> bool:
    try:
        find_files(task, split)
    except (DataMissing, WrongUse):
        return False
    return True


def available_splits(task: Task) -> list[str]:
    """The splits whose files are here, in declared order."""
    return [split for split in dict.fromkeys(s for source in task.sources for s in source.files) if has_split(task, split)]


def fingerprint(files: Iterable[Path]) -> str:
    """A short name of exactly these bytes: results on different data never share a column."""
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
