"""Sandbox with a container engine: the limits of the bubblewrap sandbox, as options of the engine."""

import os
import tempfile
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

from gluepot.programs.bubblewrap import KEPT, TEMPORARY, WRITABLE, replace_unset
from gluepot.programs.containers.engines import ContainerEngine
from gluepot.programs.containers.group import NUMBER
from gluepot.programs.execution import Program
from gluepot.programs.limits import SANDBOX, Limits

OPEN_FILES = 1024
USER_PROCESSES = 32768
"""Limit for all containers together; that of a single one is separate."""


@dataclass(frozen=True)
class ContainerSandbox:
    """An image of an engine, and the resource limits of a program in it."""

    engine: ContainerEngine
    image: str
    limits: Limits = SANDBOX
    mounts: tuple[str, ...] = ()
    """Folders of the host that are mounted read-only."""

    @property
    def title(self) -> str:
        return f"{self.engine.name} {self.engine.version}, image {self.image[:19]}"

    def fence(self, program: Program) -> Program:
        """Return the program as a command of the engine; its first word is the displayed image name, the others go to the entry point."""
        bounds = replace_unset(program.limits, self.limits)
        name = f"gluepot-{uuid.uuid4().hex}"
        folder = str(Path(tempfile.gettempdir()) / name)
        words = (
            *(
                self.engine.starter,
                "run",
                "--name",
                name,
                "--cidfile",
                f"{folder}/{NUMBER}",
                "--label",
                "gluepot=measured",
                "--interactive",
            ),
            *ISOLATION,
            *self._bounds(bounds),
            *(word for pair in _variables() for word in ("--env", pair)),
            *(word for place in self.mounts for word in ("--volume", f"{place}:{place}:ro")),
            *(self.image, *program.words[1:]),
        )
        fence = {
            "temporary": [*WRITABLE],
            "starters": [],
            "container": {"engine": self.engine.starter, "name": name, "folder": folder},
        }
        return replace(program, words=words, limits=bounds, fence=fence, name=program.title)

    def _bounds(self, limits: Limits) -> list[str]:
        size = limits.disk or 0
        words = ["--tmpfs", f"{TEMPORARY}:rw,noexec,nosuid,nodev,mode=1777" + (f",size={size}" if size else "")]
        words += ["--shm-size", str(size)] if size else []
        words += ["--memory", str(limits.memory), "--memory-swap", str(limits.memory)] if limits.memory else []
        words += ["--pids-limit", str(limits.processes)] if limits.processes else []
        if self.engine.name == "podman":
            # Podman mounts further writable places, and raises a user's processes to four million, which not every user may
            words += ["--read-only-tmpfs=false", f"--ulimit=nproc={USER_PROCESSES}:{USER_PROCESSES}"]
        return [*words, *self._devices()]

    def _devices(self) -> list[str]:
        if not Path("/dev/nvidiactl").exists():
            return []
        return ["--gpus", "all"] if self.engine.name == "docker" else ["--device", "nvidia.com/gpu=all"]


ISOLATION = (
    *("--network", "none", "--ipc", "private", "--hostname", "sandbox", "--read-only", "--pull", "never", "--log-driver", "none"),
    *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", "65534:65534"),
    f"--ulimit=nofile={OPEN_FILES}:{OPEN_FILES}",
    "--ulimit=core=0:0",
)


def _variables() -> list[str]:
    given = {name: os.environ[name] for name in KEPT if name in os.environ}
    return [f"{name}={value}" for name, value in {**given, "HOME": TEMPORARY, "TMPDIR": TEMPORARY}.items()]
