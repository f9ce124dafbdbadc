"""Sampling of a process tree while it runs: current and peak memory, processor time, and the samples to be stored."""

import time
from collections.abc import Callable
from typing import Any

from gluepot.programs.control_groups import ControlGroup
from gluepot.programs.gpu import gpu_memory
from gluepot.programs.process_tree import TreeMemory, file_memory, memory_of

KEPT = 0.05
"""Seconds between stored samples; a new peak is always stored."""
FILES = 0.1
"""Seconds between readings of mapped files and processor time, which take longer than the rest."""

AWAITED = 0.005
"""Seconds between searches for a group that an engine has yet to create."""


class TreeMeter:
    """Sampler that reports samples as they are taken; `peak` is final after `close`."""

    def __init__(self, group: ControlGroup, started: float, pace: tuple[float, float], emit: Callable[[dict[str, Any]], None]) -> None:
        """Initialise with `pace`: the minimum seconds between readings, and the share of the time that they may take."""
        self.group, self.emit, self.started = group, emit, started
        self.interval, self.share = pace
        self.last = self.peak = self.kept_peak = 0
        self.cpu = 0.0
        self.gpu: int | None = None
        self.tree = TreeMemory()
        self.looked = self.kept = 0.0
        self.cost = self.files_cost = 0.0
        self.files = 0
        """Bytes of mapped files, at their last reading."""
        self.other = 0
        """Peak of the group's file cache with kernel memory."""
        self.grown = (0, 0)
        """Peak of the largest process, and the whole tree at that moment."""
        self._keep(started, 0)

    def pause(self) -> float:
        """Return the seconds until the next reading: a tree that is expensive to read is read less often."""
        if self.group.is_awaited:
            return AWAITED
        return max(self.interval, self.cost * (1 / self.share - 1))

    def look(self, pids: list[int]) -> None:
        start = time.monotonic()
        if start - self.looked > max(FILES, self.files_cost * 3 / self.share):
            self.files, self.looked = file_memory(pids), start
            self.cpu, self.gpu = self.group.cpu_seconds(pids), gpu_memory(pids)
            self.files_cost = time.monotonic() - start
            start = time.monotonic()
        held = self.group.held()
        if held is None:
            self.tree = self._held_by(pids)
            self.last = self.tree.total + self.files
        else:
            self.last, self.other = held[0] + held[1] + self.files, max(self.other, held[2])
        self.cost = time.monotonic() - start
        if self.tree.largest > self.grown[0]:
            self.grown = (self.tree.largest, self.last)
        self.peak = max(self.peak, self.last)
        if start - self.kept > KEPT or self.peak > 1.002 * self.kept_peak:
            self._keep(start, self.last)

    def _held_by(self, pids: list[int]) -> TreeMemory:
        """Return the memory by the processes' own accounts.

        These are read one after the other, and while a page passes from one process to two it counts once too often or not at all,
        depending on the order: what would be a new peak is read in reverse order, too.
        """
        found = memory_of(pids)
        if found.total + self.files <= self.peak:
            return found
        return min(found, memory_of(reversed(pids)), key=lambda memory: memory.total)

    def close(self, ended: float, largest: int) -> None:
        """Take a last sample; `largest` is the kernel's peak of the largest ended process, which may have grown after its last reading."""
        if self.group.memory is not None and (peak := self.group.peak()):
            self.peak = max(self.peak, peak - self.other + self.files)
        elif largest > self.grown[0]:
            self.peak = max(self.peak, self.grown[1] + largest - self.grown[0])
        self._keep(ended, self.peak if self.peak > 1.002 * self.kept_peak else self.last)

    def _keep(self, now: float, held: int) -> None:
        self.kept, self.kept_peak = now, max(self.kept_peak, held)
        self.emit({"event": "sample", "time": now, "ram": held, "cpu": round(self.cpu, 3), "gpu_ram": self.gpu})
