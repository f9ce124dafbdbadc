"""Sandbox with bubblewrap for an image from a file: its own files instead of the host's."""

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
    nvidia_devices,
    replace_unset,
    temporary_mounts,
)
from gluepot.programs.containers.archives import ImageConfig
from gluepot.programs.execution import Program
from gluepot.programs.limits import SANDBOX, Limits

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class UnpackedSandbox:
    """Files of an image and its configuration."""

    root: Path
    config: ImageConfig
    limits: Limits = SANDBOX

    @property
    def title(self) -> str:
        return f"bubblewrap, image sha256:{self.config.number[:12]}"

    def fence(self, program: Program) -> Program:
        """Return the program as started in the sandbox; its first word is the displayed image name, the others go to the entry point."""
        starter = shutil.which("bwrap")
        if starter is None:
            raise GluepotError(MISSING)
        words = (
            *(starter, *ISOLATION, "--ro-bind", str(self.root), "/", "--proc", "/proc", "--dev", "/dev"),
            *nvidia_devices(),
            *temporary_mounts(self.limits.disk or 0),
            *(word for name, value in self._variables().items() for word in ("--setenv", name, value)),
            *("--remount-ro", "/proc", "--remount-ro", "/dev", "--chdir", self.config.folder, "--"),
            *(*self.config.words, *program.words[1:]),
        )
        fence = {"temporary": [*WRITABLE], "starters": [os.path.basename(starter)]}
        bounds = replace_unset(program.limits, self.limits)
        return replace(program, words=words, limits=bounds, fence=fence, name=program.title)

    def _variables(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {"PATH": PATH, **kept, **self.config.variables, "HOME": TEMPORARY, "TMPDIR": TEMPORARY}
