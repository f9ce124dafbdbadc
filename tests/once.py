"""What many tests need and none changes: made once a test run, whichever of its processes is first."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

FOLDER = "GLUEPOT_TESTS_FOLDER"
"""The variable with the folder that all processes of a test run share."""


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of that name, filled by `make` if nobody has; the others wait."""
    place = Path(os.environ[FOLDER]) / name
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            draft = place.with_suffix(".draft")
            make(draft)
            draft.rename(place)
    return place
