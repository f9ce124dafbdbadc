"""Observation of a sandboxed program from outside: whether its temporary folders are full, and its network attempts."""

import os
from contextlib import suppress
from itertools import pairwise
from typing import Any


class Fence:
    """Observer through a process inside; its file descriptors stay open, so that they can be read after all processes have ended."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.folders: list[str] = config.get("temporary", [])
        self.starters: set[str] = set(config.get("starters", []))
        self.places: list[int] = []
        self.counters: list[int] = []

    def look(self, tree: list[int]) -> None:
        """Open the descriptors once a process inside is found."""
        if not self.folders or self.places:
            return
        for pid in reversed(tree):
            with suppress(OSError):
                name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
                if name in self.starters or _same(pid, "mnt") or self._is_ours(pid):
                    continue
                self.places = [os.open(f"/proc/{pid}/root{folder}", os.O_PATH | os.O_DIRECTORY) for folder in self.folders]
                if not _same(pid, "net"):
                    self.counters = [os.open(f"/proc/{pid}/net/{name}", os.O_RDONLY) for name in ("snmp", "snmp6")]
                return

    def _is_ours(self, pid: int) -> bool:
        """Return whether a process still sees the host's folders: an engine mounts its own while already in a namespace of its own."""
        return any(os.stat(f"/proc/{pid}/root{folder}").st_dev == os.stat(folder).st_dev for folder in self.folders)

    def is_full(self) -> bool:
        for place in self.places:
            with suppress(OSError):
                if os.fstatvfs(place).f_bfree == 0:
                    return True
        return False

    def network_attempts(self) -> int:
        """Return the number of packets without a route and of refused connections."""
        count = 0
        for counter in self.counters:
            with suppress(OSError, ValueError):
                count += _failures(os.pread(counter, 1 << 16, 0).decode())
        return count


def _same(pid: int, space: str) -> bool:
    """Return whether a process is in the same namespace as this one."""
    return os.stat(f"/proc/{pid}/ns/{space}").st_ino == os.stat(f"/proc/self/ns/{space}").st_ino


def _failures(text: str) -> int:
    """Sum the relevant counters of /proc/net/snmp and snmp6.

    >>> _failures("Ip: Forwarding OutNoRoutes\\nIp: 1 3\\nTcp: ActiveOpens AttemptFails\\nTcp: 2 2\\n")
    5
    >>> _failures("Ip6OutNoRoutes \\t 4\\nIp6InReceives 7")
    4
    """
    lines = [line.split() for line in text.splitlines()]
    pairs = [(names, values) for names, values in pairwise(lines) if names[0] == values[0]]
    named = {f"{names[0]}{name}": int(value) for names, values in pairs for name, value in zip(names[1:], values[1:], strict=False)}
    named |= {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit()}
    return sum(named.get(name, 0) for name in ("Ip:OutNoRoutes", "Tcp:AttemptFails", "Ip6OutNoRoutes"))
