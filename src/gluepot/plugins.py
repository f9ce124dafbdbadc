"""Plug-ins: installed packages whose modules register suites, readers, metrics, formats and the like as they are imported.

A package names its modules in entry points of the group `gluepot`; what only `reproduce` or a board needs, in `gluepot.evidence` and
`gluepot.board`. What the published suites need comes in by the same door.
"""

import sys
from contextlib import redirect_stdout
from threading import RLock
from typing import TYPE_CHECKING

from gluepot.notices import tell_once

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OWN = "gluepot"
_lock = RLock()
_begun: set[str] = set()


def load_plugins(group: str) -> None:
    """Import all modules of a group, once a process; one that fails costs a warning."""
    from importlib.metadata import entry_points  # takes longer than all of our own light modules

    with _lock:
        if group in _begun:
            return
        _begun.add(group)
        for point in sorted(entry_points(group=group), key=_rank):
            _load(point)


def package_of(module: str) -> str:
    """The installed package that a module came with; the module's own top name where none says that it brought it."""
    from importlib.metadata import packages_distributions

    top = module.partition(".")[0]
    return next(iter(packages_distributions().get(top, ())), top)


def _load(point: "EntryPoint") -> None:
    """A module may do anything as it is imported: leave, or print where only one JSON document belongs."""
    try:
        with redirect_stdout(sys.stderr):
            point.load()
    except (Exception, SystemExit) as error:
        package = f" of {_package(point)}" if point.dist else ""
        tell_once(f"The plug-in {point.name}{package} ({point.value}) was left out: {type(error).__name__}: {error}")


def _rank(point: "EntryPoint") -> tuple[bool, str, str]:
    """Our own first, so that nobody takes a name from them; then the same order everywhere."""
    return _package(point) != OWN, _package(point), point.name


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else ""
