"""How much of everything a program of others may use here, as the board's keeper sets it, and which submissions have yet to be run."""

import os
from collections.abc import Mapping
from pathlib import Path

from gluepot.board.submitting.models import SubmittedProgram
from gluepot.efficiency.hardware import usable_cores
from gluepot.errors import WrongUse
from gluepot.programs.limits import MIB, Limits

LONGEST = 600.0
"""Seconds of one scoring; then it is given up, and its worker ends."""
REPEATS = 3
"""Rounds of a measurement; twice as many, while they differ."""
FEWEST = 256
"""Records in its longest run, where a split has less: in a quarter of them the first batch of 32 is not yet all."""
MOST = 5
"""Beginnings of one program after which it is given up: something in it ends its worker."""
USUAL = {"GLUEPOT_PROGRAM_MINUTES": 60, "GLUEPOT_PROGRAM_MEMORY": 4096, "GLUEPOT_PROGRAM_DISK": 1024, "GLUEPOT_PROGRAM_OUTPUT": 256}
"""Minutes of all runs of one submission together; MiB of memory, of temporary files and of output in each."""
READABLE = "GLUEPOT_PROGRAM_READABLE"
"""Folders of this machine that commands may read: interpreters with libraries (their `bin` is looked in first), pretrained models."""


def setting(name: str, given: Mapping[str, str] = os.environ) -> int:
    """One of the limits.

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
    """Of all runs of one submission together."""
    return 60.0 * setting("GLUEPOT_PROGRAM_MINUTES")


def run_limits(seconds: float) -> Limits:
    """Of one run that may take so long."""
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
    """Whether a program has yet to make the answers of a submission."""
    return SubmittedProgram.objects.filter(upload__key=key, upload__file="").exists()


def longest_seconds(key: str) -> float:
    """That a worker may be at a submission."""
    return LONGEST + (all_seconds() if awaits_run(key) else 0.0)
