"""Control group of a program, if the system permits creating one: exact memory, and limits that the kernel enforces."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gluepot.programs.process_tree import cpu_seconds, descendants

ROOT = Path("/sys/fs/cgroup")


class ControlGroup:
    """A group for memory and one for the number of processes (in version 2 the same one); None where none can be created."""

    of_children = True
    """Whether the kernel's counters of our children are those of the program."""

    def __init__(self, name: str) -> None:
        own = _own_groups()
        self.memory = _make("memory", name, own, ("memory.stat",))
        self.processes = self.memory if self.memory and self.unified else _make("pids", name, own, ("pids.max",))

    @property
    def unified(self) -> bool:
        """Whether it is a group of version 2."""
        return self.memory is not None and (self.memory / "memory.current").exists()

    @property
    def is_awaited(self) -> bool:
        """Whether it has yet to appear; this one exists from the start."""
        return False

    def limit(self, memory: int | None, processes: int | None) -> None:
        """Set the limits, as far as the system permits."""
        if self.memory and memory:
            _write(self.memory / ("memory.max" if self.unified else "memory.limit_in_bytes"), memory)
            _write(self.memory / ("memory.swap.max" if self.unified else "memory.memsw.limit_in_bytes"), 0 if self.unified else memory)
        if self.processes and processes:
            _write(self.processes / "pids.max", processes)

    def join(self) -> None:
        """Move the calling process into the group."""
        for folder in {self.memory, self.processes} - {None}:
            _write(folder / "cgroup.procs", os.getpid())  # type: ignore[operator]

    def held(self) -> tuple[int, int, int] | None:
        """Return the current bytes of anonymous memory, of shared memory, and of file cache with kernel memory."""
        if self.memory is None:
            return None
        fields = read_numbers(self.memory / "memory.stat")
        if self.unified:
            return fields.get("anon", 0), fields.get("shmem", 0), fields.get("file", 0) - fields.get("shmem", 0) + fields.get("kernel", 0)
        shared = fields.get("total_shmem", fields.get("shmem", 0))
        kernel = read_number(self.memory / "memory.kmem.usage_in_bytes")
        return fields.get("total_rss", 0), shared, fields.get("total_cache", 0) - shared + kernel

    def peak(self) -> int:
        """Return the peak memory, including file cache and kernel memory; 0 if unknown."""
        if self.memory is None:
            return 0
        return read_number(self.memory / ("memory.peak" if self.unified else "memory.max_usage_in_bytes"))

    def out_of_memory(self) -> bool:
        """Return whether the kernel killed a process in the group for lack of memory."""
        if self.memory is None:
            return False
        return read_numbers(self.memory / ("memory.events" if self.unified else "memory.oom_control")).get("oom_kill", 0) > 0

    def refused_processes(self) -> bool:
        """Return whether the kernel refused to start a process in the group."""
        return self.processes is not None and read_numbers(self.processes / "pids.events").get("max", 0) > 0

    def tree(self) -> list[int]:
        """Return the monitored processes: all descendants of this one."""
        return descendants(os.getpid())

    def cpu_seconds(self, pids: Iterable[int]) -> float:
        """Return the processor time used so far."""
        return cpu_seconds(pids)

    def end(self) -> None:
        """End whatever must be ended besides the processes: nothing here."""

    def members(self) -> list[int]:
        found: set[int] = set()
        for folder in {self.memory, self.processes} - {None}:
            with suppress(OSError, ValueError):
                found |= set(map(int, (folder / "cgroup.procs").read_text().split()))  # type: ignore[operator]
        return sorted(found)

    def remove(self) -> None:
        """Remove the group once everything in it has ended; the kernel may need a moment for that."""
        for folder in {self.memory, self.processes} - {None}:
            for _ in range(50):
                with suppress(OSError):
                    folder.rmdir()  # type: ignore[union-attr]
                    break
                time.sleep(0.01)


def _own_groups() -> dict[str, str]:
    """Return the groups of this process by controller; the unified one under an empty name."""
    found: dict[str, str] = {}
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            found |= dict.fromkeys(names.split(","), path)
    return found


def _make(controller: str, name: str, own: dict[str, str], wanted: tuple[str, ...]) -> Path | None:
    """Create a group below our own, or below its nearest ancestor that permits one."""
    top = ROOT / controller if controller in own else ROOT
    if not top.is_dir() or (controller not in own and "" not in own):
        return None
    place = top / own.get(controller, own.get("", "/")).lstrip("/")
    for parent in (place, *place.parents):
        if not parent.is_relative_to(top):
            return None
        folder = parent / name
        with suppress(OSError):
            folder.mkdir()
            if all((folder / file).exists() for file in (*wanted, "cgroup.procs")) and os.access(folder / "cgroup.procs", os.W_OK):
                return folder
            folder.rmdir()
    return None


def read_numbers(path: Path) -> dict[str, int]:
    """Read lines of a name and a number; empty if the file is gone."""
    with suppress(OSError, ValueError):
        return {name: int(number) for name, number in (line.split()[:2] for line in path.read_text().splitlines())}
    return {}


def read_number(path: Path) -> int:
    """Read a number; 0 if the file is gone."""
    with suppress(OSError, ValueError):
        return int(path.read_text())
    return 0


def _write(path: Path, number: int) -> None:
    with suppress(OSError):
        path.write_text(str(number))
