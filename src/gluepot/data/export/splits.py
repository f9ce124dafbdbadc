"""Which splits of a task are exported, and what the hub calls them."""

import re
from collections.abc import Iterable

from gluepot.data.folders import has_split
from gluepot.records import Task

_HUB = {"dev": "validation", "val": "validation", "valid": "validation", "all": "full"}
"""`all` is what `datasets` calls the union of splits: no split of its own may have the name."""


def hub_names(splits: Iterable[str]) -> dict[str, str]:
    """Our names of splits to those that the hub takes: words without hyphens, `validation` for what is called dev or val here.

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
    """The splits of a task that are here, and those that are not.

    Another source's splits are the same items again: they count only where the first source has none of its own here.
    """
    for source in task.sources:
        here = [split for split in source.files if has_split(task, split)]
        if here:
            return here, [split for split in source.files if split not in here]
    return [], list(task.data.files)


def is_withheld(task: Task, split: str) -> bool:
    """Whether a split is published without its answers, by any of its sources."""
    return any(split in source.unlabelled for source in task.sources)
