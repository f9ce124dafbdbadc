"""The control group that an engine made for a container: found by the container's number, read while it is there."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gluepot.programs.control_groups import ROOT, ControlGroup, read_number, read_numbers

PROC = Path("/proc")
MONITORS = ("conmon",)
"""What an engine starts beside a container, in a group that has its number too."""
PATIENCE = 30
KILLED = "oom"
"""The file that Podman's monitor writes where it is when the kernel ends something for want of memory; Podman 4 looks for it elsewhere."""
NUMBER = "number"
"""The file into which an engine writes the container's."""


class ContainerGroup(ControlGroup):
    """As a group of our own; but it goes with the container, so that peaks and counts are noted whenever somebody looks."""

    of_children = False

    def __init__(self, config: dict[str, Any]) -> None:
        self.engine, self.name, self.folder = config["engine"], config["name"], config["folder"]
        self.cidfile = os.path.join(self.folder, NUMBER)
        os.mkdir(self.folder, mode=0o700)
        self.older = _running()
        """Processes that were there before the container, as far as they have not ended."""
        self.made = time.monotonic()
        self.memory: Path | None = None
        self.processes: Path | None = None
        self.cpu: Path | None = None
        self.highest = 0
        self.used = 0.0
        self.oom = self.refused = self.removed = False
        self.last: tuple[int, int, int] | None = None

    def limit(self, memory: int | None, processes: int | None) -> None:
        """The engine does."""

    def join(self) -> None:
        """The engine's client is no member; what it and its monitor write where they are is ours to read, and goes with us."""
        os.chdir(self.folder)

    @property
    def is_awaited(self) -> bool:
        """Until it is found: what a program that is quickly done has used is known only to who looks while it runs."""
        return self.memory is None and time.monotonic() < self.made + PATIENCE

    def tree(self) -> list[int]:
        """What runs in the container."""
        if None in (self.memory, self.processes, self.cpu):
            self._find()
        return self.members()

    def held(self) -> tuple[int, int, int] | None:
        found = super().held()
        self.highest = max(self.highest, super().peak())
        self.oom = self.oom or super().out_of_memory()
        self.refused = self.refused or super().refused_processes()
        self.used = max(self.used, _seconds(self.cpu))
        if found and any(found):
            self.last = found
        return self.last if found else (0, 0, 0)

    def peak(self) -> int:
        return self.highest

    def cpu_seconds(self, pids: Iterable[int]) -> float:
        return self.used

    def out_of_memory(self) -> bool:
        return self.oom

    def refused_processes(self) -> bool:
        return self.refused

    def end(self) -> None:
        """Ask the engine how it ended, and to remove it with everything in it."""
        for pid in self.members():
            with suppress(OSError):
                os.kill(pid, 9)
        if not self.removed:
            self.oom = self.oom or bool(self._state().get("OOMKilled")) or os.path.exists(os.path.join(self.folder, KILLED))
            self._ask("rm", "--force", "--volumes", self.name)
            self.removed = os.path.exists(self.cidfile)  # else the engine may be at making it, and it is asked once more

    def remove(self) -> None:
        """The engine has; what is left are notes."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _state(self) -> dict[str, Any]:
        told = self._ask("inspect", "--format", "{{json .State}}", self.name)
        with suppress(ValueError):
            found = json.loads(told)
            return found if isinstance(found, dict) else {}
        return {}

    def _ask(self, *words: str) -> str:
        with suppress(OSError, subprocess.TimeoutExpired):
            quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "timeout": PATIENCE}
            return subprocess.run([self.engine, *words], stdout=subprocess.PIPE, text=True, **quiet).stdout  # type: ignore[call-overload,no-any-return]
        return ""

    def _find(self) -> None:
        with suppress(OSError):
            number = Path(self.cidfile).read_text().strip()
            running = _running()
            self.older &= running
            groups = _groups_of(number, running - self.older) if number else {}
            self.memory = self.memory or _folder(groups, "memory", "memory.stat")
            self.processes = self.processes or _folder(groups, "pids", "pids.max")
            self.cpu = self.cpu or _folder(groups, "cpuacct", "cpuacct.usage", "cpu.stat")


def _running() -> set[str]:
    return {name for name in os.listdir(PROC) if name.isdigit()}


def _groups_of(number: str, pids: Iterable[str]) -> dict[str, str]:
    """The groups of this number that the first of the processes in one is in, by controller: it joins them one after the other."""
    for pid in pids:
        with suppress(OSError):
            lines = (PROC / pid / "cgroup").read_text().splitlines()
            named = [line for line in lines if number in line and not any(monitor in line for monitor in MONITORS)]
            if named:
                return {controller: path for line in named for controller, path in _controllers(line)}
    return {}


def _controllers(line: str) -> list[tuple[str, str]]:
    """
    >>> _controllers("4:cpu,cpuacct:/docker/1f")
    [('cpu', '/docker/1f'), ('cpuacct', '/docker/1f')]
    """
    _, names, path = line.split(":", 2)
    return [(name, path) for name in names.split(",")]


def _folder(groups: dict[str, str], controller: str, *files: str) -> Path | None:
    """Where a group is mounted; version 2 has one folder for all controllers."""
    tops = ((ROOT / controller, groups.get(controller)), (ROOT, groups.get("")), (ROOT / "unified", groups.get("")))
    for top, path in tops:
        if path is not None and any((top / path.lstrip("/") / file).exists() for file in files):
            return top / path.lstrip("/")
    return None


def _seconds(folder: Path | None) -> float:
    if folder is None:
        return 0.0
    if nanoseconds := read_number(folder / "cpuacct.usage"):
        return nanoseconds / 1e9
    return read_numbers(folder / "cpu.stat").get("usage_usec", 0) / 1e6
