"""Sources of results: runs, people, submissions, published tables, and output of other harnesses registered by plug-ins."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.board.importing.drafts import Draft, ImportReport
from gluepot.board.importing.predictions import ImportContext
from gluepot.registry import Registry


@dataclass(frozen=True)
class ResultSource:
    """Kind of result files, with its detection and its reader."""

    title: str
    """Display name."""
    drafts: Callable[[Sequence[Path], ImportContext, ImportReport], Iterator[Draft]]
    """Yields the entries found at some paths of this kind."""
    is_record: Callable[[dict[str, Any]], bool] | None = None
    """Returns whether a JSON Lines file is of this kind, by its first record; None where no such file is."""
    folders: Callable[[Path], Sequence[Path]] = lambda folder: ()
    """Returns the folders below a folder that are of this kind and belong together."""
    is_part: Callable[[Path], bool] = lambda path: False
    """Returns whether a file is part of such a folder and cannot be imported by itself."""
    part: str = ""
    """Description of such a file."""


SOURCES: Registry[ResultSource] = Registry("source of results", plugins="gluepot.board")
