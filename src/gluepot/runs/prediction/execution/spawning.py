"""Spawning of Python processes without rerunning the caller's script.

multiprocessing imports the main script in every process it spawns, and requires `if __name__ == "__main__":` in it. A script of three
lines, or one on standard input, would start over in the worker; jobs need nothing from it, unless it registered something.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from gluepot.registry import has_registered

MAIN = "__main__"


class QuietProcess(SpawnProcess):
    """A spawned process that does not import the main script."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 (multiprocessing's name)
        with _without_script():
            return SpawnProcess._Popen(process_obj)


class QuietSpawnContext(SpawnContext):
    Process = QuietProcess


@contextmanager
def _without_script() -> Iterator[None]:
    """Substitute an empty main module while a process starts, unless the real one has registered something that jobs may look up."""
    script = sys.modules[MAIN]
    if has_registered(MAIN):
        yield
        return
    sys.modules[MAIN] = type(sys)(MAIN)
    try:
        yield
    finally:
        sys.modules[MAIN] = script
