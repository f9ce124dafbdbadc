"""The machine that figures belong to: those of different ones are never put into one ranking."""

import os
import platform
import re
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from gluepot import __version__
from gluepot.programs.gpu import gpu_names

GIB = 1024**3


class HardwareProfile(Struct, frozen=True, omit_defaults=True):
    """What a figure hangs on besides the model."""

    name: str
    """Processor, cores, memory, GPUs and limits in a line; figures are compared where it is the same."""
    processor: str
    cores: int
    """That a program may use."""
    memory_gib: float
    gpus: list[str] = []
    limits: dict[str, float] = {}
    system: str = ""
    versions: dict[str, str] = {}
    load: float | None = None
    """Processes that waited for a core in the minute before the measurement, on average."""
    calibration: float | None = None
    """Units a second of a fixed work load, where it was run."""


def read_profile(limits: dict[str, float] | None = None, calibration: float | None = None) -> HardwareProfile:
    """The machine as it is now."""
    cores, memory = usable_cores(), usable_memory()
    gpus = gpu_names()
    quota = cpu_quota()
    bounds = {**({"cpus": quota} if quota and quota < cores else {}), **(limits or {})}
    parts = [processor(), f"{cores} core{'s' * (cores != 1)}", f"{memory / GIB:.0f} GiB", ", ".join(gpus) or "no GPU"]
    parts += [f"{name} ≤ {value:g}" for name, value in sorted(bounds.items())]
    return HardwareProfile(
        name=", ".join(parts),
        processor=processor(),
        cores=cores,
        memory_gib=round(memory / GIB, 2),
        gpus=gpus,
        limits=bounds,
        system=f"{platform.system()} {platform.release()}",
        versions={"gluepot": __version__, "python": platform.python_version()},
        load=round(os.getloadavg()[0], 2),
        calibration=calibration,
    )


def processor() -> str:
    """Its name as its maker writes it."""
    with suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return platform.processor() or platform.machine() or "unknown processor"


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usable_memory() -> int:
    """Of the machine, or of the control group that we are in if that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            machine = min(machine, int(Path(path).read_text()))
    return machine


def cpu_quota() -> float | None:
    """Processors' worth of time that the control group lets us have."""
    with suppress(OSError, ValueError):
        most, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return round(int(most) / int(period), 2)
    with suppress(OSError, ValueError):
        most = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").read_text()
        period = Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us").read_text()
        return round(int(most) / int(period), 2) if int(most) > 0 else None
    return None
