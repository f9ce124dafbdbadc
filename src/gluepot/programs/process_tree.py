"""A process and all its descendants: their ids, and the memory that they hold together, with shared memory counted once."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

PARTS = {b"Pss_Anon": "anonymous", b"Pss_Shmem": "shared", b"Private_Hugetlb": "anonymous"}
"""Fields of smaps_rollup, each a process's share of its mappings, by their part in TreeMemory."""


@dataclass
class TreeMemory:
    """Bytes held by some processes, without the files that they have mapped."""

    anonymous: int = 0
    shared: int = 0
    largest: int = 0
    """Resident bytes of the largest process."""

    @property
    def total(self) -> int:
        return self.anonymous + self.shared


def children_of(pid: int) -> list[int]:
    """Return the children of a process, by the kernel's own list of each of its threads; empty if the process is gone."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError, ValueError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def descendants(root: int) -> list[int]:
    """Return all descendants of a process, parents before children; with orphans, if the root adopts them (a subreaper)."""
    found, waiting = list[int](), children_of(root) if has_child_lists() else []
    if not has_child_lists():
        return _descendants_by_scan(root)
    while waiting:
        found += waiting
        waiting = [child for pid in waiting for child in children_of(pid)]
    return found


def has_child_lists() -> bool:
    """Return whether this kernel lists a process's children; some are built without."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _descendants_by_scan(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := stat_fields(int(name))):
            parents.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = list[int](), parents.get(root, [])
    while waiting:
        found += waiting
        waiting = [child for pid in waiting for child in parents.get(pid, [])]
    return found


def stat_fields(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on: state, parent, …; empty if the process is gone."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()
    return []


def memory_of(pids: Iterable[int]) -> TreeMemory:
    """Return the joint memory of processes. Pages mapped by several are divided among all of them, so that their sum counts them once."""
    memory = TreeMemory()
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
                _add(memory, file.read())
        except (OSError, ValueError, IndexError):  # gone, ending, a zombie, or not readable
            memory.anonymous += (resident := _resident(pid))
            memory.largest = max(memory.largest, resident)
    return memory


def _add(memory: TreeMemory, rollup: bytes) -> None:
    for line in rollup.splitlines()[1:]:
        name, _, rest = line.partition(b":")
        if name == b"Rss":
            memory.largest = max(memory.largest, int(rest.split()[0]) * 1024)
        elif name in PARTS:
            part = PARTS[name]
            setattr(memory, part, getattr(memory, part) + int(rest.split()[0]) * 1024)


def file_memory(pids: Iterable[int]) -> int:
    """Return the bytes in memory of the files that processes have mapped, with each part of a file counted once.

    A process's proportional share would depend on other users of the same interpreter on this machine.
    """
    parts: dict[bytes, int] = {}
    for pid in pids:
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/smaps", "rb") as file:
            for part, held in _file_parts(file):
                parts[part] = max(parts.get(part, 0), held)
    return sum(parts.values())


def _file_parts(lines: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield each mapping of a file, by device, inode and offset, with its resident bytes that belong to the file."""
    part, resident = None, 0
    for line in lines:
        words = line.split()
        if not words[0].endswith(b":"):
            part = b" ".join(words[2:5]) if words[4] != b"0" and words[3] not in memory_devices() else None
        elif part is not None and words[0] == b"Rss:":
            resident = int(words[1]) * 1024
        elif part is not None and words[0] == b"Anonymous:":
            yield part, resident - int(words[1]) * 1024


@cache
def memory_devices() -> frozenset[bytes]:
    """Return the devices whose files are memory, such as /dev/shm: these count as shared memory."""
    found = set()
    with suppress(OSError), open("/proc/self/mountinfo", "rb") as file:
        found |= {
            words[2] for words in map(bytes.split, file) if words[words.index(b"-") + 1] in (b"tmpfs", b"ramfs", b"hugetlbfs", b"devtmpfs")
        }
    with suppress(OSError):
        anonymous = os.memfd_create("device")
        device = os.fstat(anonymous).st_dev
        os.close(anonymous)
        found.add(b"%d:%d" % (os.major(device), os.minor(device)))
    return frozenset(b"%02x:%02x" % tuple(map(int, device.split(b":"))) for device in found)


def _resident(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the processor time of processes, including that of their ended children."""
    ticks = 0
    for pid in pids:
        fields = stat_fields(pid)
        ticks += sum(map(int, fields[11:15])) if fields else 0
    return ticks / os.sysconf("SC_CLK_TCK")
