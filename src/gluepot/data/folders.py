"""Location of a task's files: `data/` beside its suite's declaration, or below $GLUEPOT_DATA."""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from gluepot.errors import DataMissing, WrongUse, unknown
from gluepot.programs.hiding import HIDDEN_PATH_PROVIDERS
from gluepot.records import Source, Task
from gluepot.tasks.search_path import suite_folders

OWN = "data"
_SAME_SPLIT = ({"dev", "val", "validation"},)


def data_root() -> Path:
    """Return $GLUEPOT_DATA, or the user's data folder on this system: $XDG_DATA_HOME or ~/.local/share on Linux."""
    named = os.environ.get("GLUEPOT_DATA")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("gluepot", appauthor=False)


def hidden_data() -> list[Path]:
    """Return the folders hidden from untrusted programs: $GLUEPOT_DATA, and data bundled with declarations."""
    return [data_root(), *(folder / OWN for folder in suite_folders().values())]


HIDDEN_PATH_PROVIDERS.append(hidden_data)


def data_folder(declared: Path) -> Path:
    """Return the data folder of a suite declared in a folder: its own `data/`, or the one of its name below $GLUEPOT_DATA."""
    return declared / OWN if (declared / OWN).is_dir() else data_root() / declared.name


def bundles_data(task: Task) -> bool:
    """Return whether a task's files are bundled with its suite's declaration."""
    return bool(task.folder) and (Path(task.folder).parent / OWN).is_dir()


def source_folder(task: Task, source: Source) -> Path:
    """Return the folder that a source's paths are relative to: the suite's own, or another one below $GLUEPOT_DATA."""
    if source.folder or not task.folder:
        return data_root() / (source.folder or task.suite)
    return data_folder(Path(task.folder).parent)


def split_name(task: Task, split: str) -> str:
    """Return the task's own name of a split; dev, val and validation are synonyms."""
    known = dict.fromkeys(name for source in task.sources for name in source.files)
    if split in known:
        return split
    for same in _SAME_SPLIT:
        if split in same and (found := same & known.keys()):
            return found.pop()
    raise WrongUse(f"{task.path}: {unknown('split', split, known)}")


def source_files(task: Task, source: Source, split: str) -> list[Path]:
    """Return the files of one split in one source, whether or not they exist."""
    folder = source_folder(task, source)
    named = source.files.get(split, [])
    files = []
    for name in [named] if isinstance(named, str) else named:
        matches = sorted(folder.glob(name)) if "*" in name else []
        files += matches or [folder / name]  # a pattern without a match counts as a missing file
    return files


def find_files(task: Task, split: str) -> tuple[Source, list[Path]]:
    """Return the first source that has all files of a split, with the files; raise DataMissing if none has."""
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
    """Return the splits whose files are available, in declared order."""
    return [split for split in dict.fromkeys(s for source in task.sources for s in source.files) if has_split(task, split)]


def fingerprint(files: Iterable[Path]) -> str:
    """Return a short hash of the files' bytes: results on different data never share a column."""
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
