"""Counts over official data files, computed on demand and cached while the files are unchanged."""

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import ErratumFigure
from gluepot.board.items.loading import LRUCache
from gluepot.data.checks.material import read_material
from gluepot.data.checks.splits.sizes import measure
from gluepot.data.examples import read_records
from gluepot.data.folders import find_files
from gluepot.errors import GluepotError
from gluepot.records import Task
from gluepot.tasks.declarations import find

T = TypeVar("T")
Records = list[dict[str, Any]]
ROOM = 64
"""Number of cached results."""
_WORD = re.compile(r"\w+")
_kept = LRUCache(ROOM)


def counted(*places: str) -> Callable[[Callable[..., T]], Callable[[], T]]:
    """Decorate a count over the records of some splits (`suite/task/split`); calling it raises DataMissing if one is not available."""

    def prepare(count: Callable[..., T]) -> Callable[[], T]:
        @wraps(count)
        def run() -> T:
            splits = [_split(place) for place in places]
            files = [path for task, split in splits for path in find_files(task, split)[1]]
            stamp = tuple((str(path), path.stat().st_mtime_ns) for path in files)
            return _kept.get((count.__module__, count.__qualname__, stamp), lambda: count(*map(_read, splits)))

        return run

    return prepare


def _split(place: str) -> tuple[Task, str]:
    path, _, split = place.rpartition("/")
    task = find(path)[1]
    assert task is not None
    return task, split


def _read(place: tuple[Task, str]) -> Records:
    return list(read_records(*place)[2])


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, ignoring case and punctuation.

    >>> words("Katten satt, på MATTAN.")
    ('katten', 'satt', 'på', 'mattan')
    """
    return tuple(_WORD.findall(text.casefold()))


def repeated(known: Iterable[str], asked: Iterable[str]) -> int:
    """Count the texts that occur among the known ones, compared word by word."""
    seen = {words(text) for text in known}
    return sum(words(text) in seen for text in asked)


def lines_of(suite: str, make: Callable[[], list[ErratumFigure]]) -> dict[str, Any]:
    """Return the lines of a claim, or instructions for fetching the data that they need."""
    try:
        return {"lines": make()}
    except GluepotError:
        command = f"gluepot data fetch {suite}"
        return {"lines": [], "missing": _("The data is not on this server. Get it with “%(command)s”.") % {"command": command}}


def sizes_of(path: str) -> list[tuple[str, int, int]]:
    """Return the splits of a task that differ from their published size: split, published and counted size, in the published unit."""
    task = find(path)[1]
    assert task is not None
    stamp = tuple((str(p), p.stat().st_mtime_ns) for split in task.data.files for p in find_files(task, split)[1])
    return _kept.get(("sizes", path, stamp), lambda: _odd_sizes(task))


def _odd_sizes(task: Task) -> list[tuple[str, int, int]]:
    splits = read_material(task).splits.values()
    counts = [(split.name, split.source.rows.get(split.name), measure(split)) for split in splits]
    return [(name, told, here) for name, told, here in counts if told is not None and told != here]
