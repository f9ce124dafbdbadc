"""Exported splits of a task and their names on the hub."""

import re
from collections.abc import Iterable

from gluepot.data.folders import has_split
from gluepot.records import Task

_HUB = {"dev": "validation", "val": "validation", "valid": "validation", "all": "full"}
"""`all` is the union of splits in `datasets`: no split may have the name."""


def hub_names(splits: Iterable[str]) -> dict[str, str]:
    """Map split names to names valid on the hub: words without hyphens, `validation` for dev or val.

    >>> hub_names(["train", "dev", "test-hard", "all"])
    {'train': 'train', 'dev': 'validation', 'test-hard': 'test_hard', 'all': 'full'}
    >>> hub_names(["dev", "val"])
    {'dev': 'validation', 'val': 'val'}
    """
    names: dict[str, str] = {}
    for split in splits:
        plain = re.sub(r"\W+", "_", split).strip("_") or "split"
        name = next(one for one in _candidates(plain) if one not in names.values())
        names[split] = name
    return names


def _candidates(plain: str) -> Iterable[str]:
    if plain in _HUB:
        yield _HUB[plain]
    if plain != "all":
        yield plain
    number = 2
    while True:
        yield f"{plain}_{number}"
        number += 1


def find_splits(task: Task) -> tuple[list[str], list[str]]:
    """Return the available and the missing splits of a task.

    Another source's splits repeat the same items: they are used only if no split of the first source is available.
    """
    for source in task.sources:
        here = [split for split in source.files if has_split(task, split)]
        if here:
            return here, [split for split in source.files if split not in here]
    return [], list(task.data.files)


def is_withheld(task: Task, split: str) -> bool:
    """Return whether any source publishes a split without its answers."""
    return any(split in source.unlabelled for source in task.sources)
