"""Plug-ins: installed packages whose modules register suites' readers, metrics, formats and the like as they are imported.

A package names its modules in entry points of the group `gluepot`; what only `reproduce` or a board needs, in `gluepot.evidence` and
`gluepot.board`. What the published suites need comes in by the same door.
"""

from threading import RLock

from gluepot.notices import tell_once

_lock = RLock()
_begun: set[str] = set()


def load_plugins(group: str) -> None:
    """Import all modules of a group, once a process; one that fails costs a warning."""
    from importlib.metadata import entry_points  # takes longer than all of our own light modules

    with _lock:
        if group in _begun:
            return
        _begun.add(group)
        for point in entry_points(group=group):
            try:
                point.load()
            except Exception as error:
                tell_once(f"The plug-in {point.name} ({point.value}) was left out: {type(error).__name__}: {error}")
