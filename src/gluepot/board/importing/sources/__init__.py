"""Where results come from: runs, people, submissions, print, and what other harnesses wrote, which plug-ins register."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.board.importing.drafts import Draft, ImportReport
from gluepot.board.importing.predictions import ImportContext
from gluepot.registry import Registry


@dataclass(frozen=True)
class ResultSource:
    """One kind of files: how it is known, and how it is read."""

    title: str
    """What people call it."""
    drafts: Callable[[Sequence[Path], ImportContext, ImportReport], Iterator[Draft]]
    """The entries in some places of this kind."""
    is_record: Callable[[dict[str, Any]], bool] | None = None
    """Whether a file of lines is one, by its first record; None where no file of lines is."""
    folders: Callable[[Path], Sequence[Path]] = lambda folder: ()
    """The folders below one that are of this kind and belong together."""
    is_part: Callable[[Path], bool] = lambda path: False
    """Whether a file is part of such a folder, and nothing by itself."""
    part: str = ""
    """What such a file is."""


SOURCES: Registry[ResultSource] = Registry("source of results", plugins="gluepot.board")
