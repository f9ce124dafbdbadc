"""Sandbox with bubblewrap for a folder of untrusted files: no path of this machine is exposed because its command names it."""

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from gluepot.errors import GluepotError
from gluepot.programs.bubblewrap import (
    ISOLATION,
    KEPT,
    MISSING,
    TEMPORARY,
    WRITABLE,
    Sandbox,
    replace_unset,
    system_mounts,
    temporary_mounts,
)
from gluepot.programs.execution import Program
from gluepot.programs.limits import SANDBOX, Limits

PLACE = "/program"
"""Path of its files inside the sandbox."""
PATH = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True)
class FolderSandbox:
    """A folder mounted read-only as /program, where the program starts; besides it only the system and the readable folders are visible."""

    folder: Path
    limits: Limits = SANDBOX
    readable: tuple[Path, ...] = ()
    title: str = "bubblewrap"

    def fence(self, program: Program) -> Program:
        """Return the same command, started inside; its program is searched for there, and nowhere else."""
        starter = shutil.which("bwrap")
        if starter is None:
            raise GluepotError(MISSING)
        lent = Sandbox(visible=self.readable)
        words = (
            *(starter, *ISOLATION, *system_mounts(), *temporary_mounts(self.limits.disk or 0)),
            *(word for place in sorted(self.readable) for word in lent.bind(place)),
            *lent.covers(self.readable),
            *("--ro-bind", str(self.folder.resolve()), PLACE),
            *(word for name, value in self._variables().items() for word in ("--setenv", name, value)),
            *(word for place in ("/proc", "/dev", "/") for word in ("--remount-ro", place)),
            *("--chdir", PLACE, "--", *program.words),
        )
        fence = {"temporary": [*WRITABLE], "starters": [os.path.basename(starter)]}
        return replace(program, words=words, limits=replace_unset(program.limits, self.limits), fence=fence, name=program.title)

    def _variables(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        places = (*(str(place / "bin") for place in self.readable), *PATH)
        return {"PATH": os.pathsep.join(places), **kept, "HOME": TEMPORARY, "TMPDIR": TEMPORARY, "PYTHONDONTWRITEBYTECODE": "1"}
