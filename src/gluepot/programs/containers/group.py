"""Control group that an engine creates for a container: found by the container's id, read while it exists."""

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
"""Processes that an engine starts beside a container, in a group that contains its id too."""
PATIENCE = 30
KILLED = "oom"
"""File that Podman's monitor writes to its working directory on an out-of-memory kill; Podman 4 looks for it elsewhere."""
NUMBER = "number"
"""File into which an engine writes the container's id."""


class ContainerGroup(ControlGroup):
    """Like a group of our own, but removed with the container, so that peaks and counts are stored at each reading."""

    of_children = False

    def __init__(self, config: dict[str, Any]) -> None:
        self.engine, self.name, self.folder = config["engine"], config["name"], config["folder"]
        self.cidfile = os.path.join(self.folder, NUMBER)
        os.mkdir(self.folder, mode=0o700)
        self.older = _running()
        """Processes that were running before the container and have not ended."""
        self.made = time.monotonic()
        self.memory: Path | None = None
        self.processes: Path | None = None
        self.cpu: Path | None = None
        self.highest = 0
        self.used = 0.0
        self.oom = self.refused = self.removed = False
        self.last: tuple[int, int, int] | None = None

    def limit(self, memory: int | None, processes: int | None) -> None:
        """Do nothing: the engine sets the limits."""

    def join(self) -> None:
        """Enter the folder of the files that the engine's client and its monitor write; the client is not a member of the group."""
        os.chdir(self.folder)

    @property
    def is_awaited(self) -> bool:
        """Whether the group is still to be found: the usage of a short program is known only if it is read while it runs."""
        return self.memory is None and time.monotonic() < self.made + PATIENCE

    def tree(self) -> list[int]:
        """Return the processes in the container."""
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
        """Kill the processes, query the engine how the container ended, and have it removed with everything in it."""
        for pid in self.members():
            with suppress(OSError):
                os.kill(pid, 9)
        if not self.removed:
            self.oom = self.oom or bool(self._state().get("OOMKilled")) or os.path.exists(os.path.join(self.folder, KILLED))
            self._ask("rm", "--force", "--volumes", self.name)
            self.removed = os.path.exists(self.cidfile)  # else the engine may still be creating it, and is called once more

    def remove(self) -> None:
        """Remove the folder of notes; the engine removes the group."""
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
    """Return the groups of this id, by controller, of the first process that is in one: it joins them one after the other."""
    for pid in pids:
        with suppress(OSError):
            lines = (PROC / pid / "cgroup").read_text().splitlines()
            named = [line for line in lines if number in line and not any(monitor in line for monitor in MONITORS)]
            if named:
                return {controller: path for line in named for controller, path in _controllers(line)}
    return {}


def _controllers(line: str) -> list[tuple[str, str]]:
    """Return the controllers in a line of /proc/PID/cgroup, each with its path.

    >>> _controllers("4:cpu,cpuacct:/docker/1f")
    [('cpu', '/docker/1f'), ('cpuacct', '/docker/1f')]
    """
    _, names, path = line.split(":", 2)
    return [(name, path) for name in names.split(",")]


def _folder(groups: dict[str, str], controller: str, *files: str) -> Path | None:
    """Return the folder where a group is mounted; version 2 has one folder for all controllers."""
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
