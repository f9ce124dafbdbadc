"""New Python processes that do not run the caller's script again.

multiprocessing imports the main script in every process it spawns, and asks its author for `if __name__ == "__main__":`. A program of
three lines, or one on standard input, would begin anew in the worker; the jobs need nothing of it, unless it registered something.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from gluepot.registry import has_registered

MAIN = "__main__"


class QuietProcess(SpawnProcess):
    """A spawned process that knows nothing of the script."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 (multiprocessing's name)
        with _without_script():
            return SpawnProcess._Popen(process_obj)


class QuietSpawnContext(SpawnContext):
    Process = QuietProcess


@contextmanager
def _without_script() -> Iterator[None]:
    """An empty main module while a process starts; the real one if it has registered what a job may ask for by name."""
    script = sys.modules[MAIN]
    if has_registered(MAIN):
        yield
        return
    sys.modules[MAIN] = type(sys)(MAIN)
    try:
        yield
    finally:
        sys.modules[MAIN] = script
