"""Read-only resources shared by many tests, created once per test run by the first process that needs them."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

FOLDER = "GLUEPOT_TESTS_FOLDER"
"""Environment variable with the folder shared by all processes of a test run."""


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of that name, created by `make` if missing; concurrent callers wait."""
    place = Path(os.environ[FOLDER]) / name
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            draft = place.with_suffix(".draft")
            make(draft)
            draft.rename(place)
    return place
