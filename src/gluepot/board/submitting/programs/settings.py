"""Resource limits of submitted programs, configurable by the operator; timeouts, and whether a program has yet to run."""

import os
from collections.abc import Mapping
from pathlib import Path

from gluepot.board.submitting.models import SubmittedProgram
from gluepot.efficiency.hardware import usable_cores
from gluepot.errors import WrongUse
from gluepot.programs.limits import MIB, Limits

LONGEST = 600.0
"""Timeout of one scoring in seconds, after which the submission fails and its worker exits."""
REPEATS = 3
"""Rounds of a measurement; up to twice as many while they differ."""
FEWEST = 256
"""Minimum number of records in the longest run, for smaller splits: a quarter of it exceeds the first batch of 32."""
MOST = 5
"""Attempts at one program after which it is given up, because it crashes its worker."""
USUAL = {"GLUEPOT_PROGRAM_MINUTES": 60, "GLUEPOT_PROGRAM_MEMORY": 4096, "GLUEPOT_PROGRAM_DISK": 1024, "GLUEPOT_PROGRAM_OUTPUT": 256}
"""Defaults: minutes of all runs of a submission together; MiB of memory, temporary files and output of each run."""
READABLE = "GLUEPOT_PROGRAM_READABLE"
"""Folders on this machine that commands may read: interpreters with libraries (their `bin` comes first in PATH), pretrained models."""


def setting(name: str, given: Mapping[str, str] = os.environ) -> int:
    """Return a limit from the environment, or its default. Raises WrongUse if it is not a positive integer.

    >>> setting("GLUEPOT_PROGRAM_MEMORY", {}), setting("GLUEPOT_PROGRAM_MEMORY", {"GLUEPOT_PROGRAM_MEMORY": "512"})
    (4096, 512)
    """
    text = given.get(name, "").strip()
    if not text:
        return USUAL[name]
    if not text.isdecimal() or not 0 < int(text) < 10**9:
        raise WrongUse(f"{name}={text}: a whole number above 0 is needed, such as {USUAL[name]}.")
    return int(text)


def all_seconds() -> float:
    """Return the time limit of all runs of a submission together, in seconds."""
    return 60.0 * setting("GLUEPOT_PROGRAM_MINUTES")


def run_limits(seconds: float) -> Limits:
    """Return the limits of one run with this time limit."""
    return Limits(
        seconds=seconds,
        memory=setting("GLUEPOT_PROGRAM_MEMORY") * MIB,
        processes=256,
        cpu_seconds=seconds * usable_cores(),
        disk=setting("GLUEPOT_PROGRAM_DISK") * MIB,
        output=setting("GLUEPOT_PROGRAM_OUTPUT") * MIB,
    )


def readable_folders() -> tuple[Path, ...]:
    return tuple(Path(part).resolve() for part in os.environ.get(READABLE, "").split(os.pathsep) if part)


def awaits_run(key: str) -> bool:
    """Return whether a submission still waits for its program to make the predictions."""
    return SubmittedProgram.objects.filter(upload__key=key, upload__file="").exists()


def longest_seconds(key: str) -> float:
    """Return the timeout of a worker's job on a submission, in seconds."""
    return LONGEST + (all_seconds() if awaits_run(key) else 0.0)
