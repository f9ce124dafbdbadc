"""Plug-ins: installed packages whose modules register suites, readers, metrics, formats etc. on import.

A package declares its modules as entry points of the group `gluepot`, or of `gluepot.evidence` and `gluepot.board` if only
`reproduce` or a board needs them. The published suites are registered in the same way.
"""

import sys
from contextlib import redirect_stdout
from threading import RLock
from typing import TYPE_CHECKING

from gluepot.notices import notify_once

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OWN = "gluepot"
_lock = RLock()
_begun: set[str] = set()


def load_plugins(group: str) -> None:
    """Import all modules of an entry-point group, once per process; a failing module is skipped with a warning."""
    from importlib.metadata import entry_points  # slower to import than all lightweight modules of gluepot together

    with _lock:
        if group in _begun:
            return
        _begun.add(group)
        for point in sorted(entry_points(group=group), key=_rank):
            _load(point)


def package_of(module: str) -> str:
    """Return the installed package that provides a module, or the module's top-level name if none does."""
    from importlib.metadata import packages_distributions

    top = module.partition(".")[0]
    return next(iter(packages_distributions().get(top, ())), top)


def _load(point: "EntryPoint") -> None:
    """Import one plug-in, guarding against SystemExit and against output to stdout, which may hold a JSON document."""
    try:
        with redirect_stdout(sys.stderr):
            point.load()
    except (Exception, SystemExit) as error:
        package = f" of {_package(point)}" if point.dist else ""
        notify_once(f"The plug-in {point.name}{package} ({point.value}) was left out: {type(error).__name__}: {error}")


def _rank(point: "EntryPoint") -> tuple[bool, str, str]:
    """Sort key: gluepot's own modules first, so that no plug-in takes their names, then a deterministic order."""
    return _package(point) != OWN, _package(point), point.name


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else ""
