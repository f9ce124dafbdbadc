"""Looks at a tree of processes while it runs: memory now and at its peak, processor time, and what is kept of all that."""

import time
from collections.abc import Callable
from typing import Any

from gluepot.programs.control_groups import ControlGroup
from gluepot.programs.gpu import gpu_memory
from gluepot.programs.process_tree import TreeMemory, file_memory, memory_of

KEPT = 0.05
"""Seconds between samples that are kept; a new peak is always kept."""
FILES = 0.1
"""Seconds between looks at mapped files and processor time, which take longer than the rest."""

AWAITED = 0.005
"""Seconds between looks for a group that an engine has yet to make."""


class TreeMeter:
    """Samples as they come; `peak` is final after `close`."""

    def __init__(self, group: ControlGroup, started: float, pace: tuple[float, float], tell: Callable[[dict[str, Any]], None]) -> None:
        """`pace`: seconds between looks at the least, and the share of the time that they may take."""
        self.group, self.tell, self.started = group, tell, started
        self.interval, self.share = pace
        self.last = self.peak = self.kept_peak = 0
        self.cpu = 0.0
        self.gpu: int | None = None
        self.tree = TreeMemory()
        self.looked = self.kept = 0.0
        self.cost = self.files_cost = 0.0
        self.files = 0
        """Bytes of mapped files, at the last look at them."""
        self.other = 0
        """The most that the group held of files that it had read."""
        self.grown = (0, 0)
        """The largest process at its largest, and the whole tree then."""
        self._keep(started, 0)

    def pause(self) -> float:
        """Seconds until the next look: a tree that is dear to look at is looked at less often."""
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
        """What they hold by their own accounts. These are read one after the other, and while a page passes from one process to two it
        counts once too often or not at all, by who is asked first: what would be a new peak is asked for the other way round, too.
        """
        found = memory_of(pids)
        if found.total + self.files <= self.peak:
            return found
        return min(found, memory_of(reversed(pids)), key=lambda memory: memory.total)

    def close(self, ended: float, largest: int) -> None:
        """`largest` is what the kernel says of the largest process that has ended: it may have grown after our last look at it."""
        if self.group.memory is not None and (peak := self.group.peak()):
            self.peak = max(self.peak, peak - self.other + self.files)
        elif largest > self.grown[0]:
            self.peak = max(self.peak, self.grown[1] + largest - self.grown[0])
        self._keep(ended, self.peak if self.peak > 1.002 * self.kept_peak else self.last)

    def _keep(self, now: float, held: int) -> None:
        self.kept, self.kept_peak = now, max(self.kept_peak, held)
        self.tell({"event": "sample", "time": now, "ram": held, "cpu": round(self.cpu, 3), "gpu_ram": self.gpu})
