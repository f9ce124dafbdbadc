"""Hardware that figures belong to: figures of different machines are never ranked together."""

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
    """Conditions that a figure depends on besides the model."""

    name: str
    """Processor, cores, memory, GPUs and limits on one line; figures are comparable if it is equal."""
    processor: str
    cores: int
    """Cores that a program may use."""
    memory_gib: float
    gpus: list[str] = []
    limits: dict[str, float] = {}
    system: str = ""
    versions: dict[str, str] = {}
    load: float | None = None
    """Average number of processes waiting for a core in the minute before the measurement."""
    calibration: float | None = None
    """Units per second of the calibration workload, if it was run."""


def read_profile(limits: dict[str, float] | None = None, calibration: float | None = None) -> HardwareProfile:
    """Return the profile of the machine in its current state."""
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
    """Return the name of the processor as given by its manufacturer."""
    with suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return platform.processor() or platform.machine() or "unknown processor"


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usable_memory() -> int:
    """Return the memory of the machine, or of the current control group if that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            machine = min(machine, int(Path(path).read_text()))
    return machine


def cpu_quota() -> float | None:
    """Return the control group's quota in processors' worth of time, or None."""
    with suppress(OSError, ValueError):
        most, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return round(int(most) / int(period), 2)
    with suppress(OSError, ValueError):
        most = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").read_text()
        period = Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us").read_text()
        return round(int(most) / int(period), 2) if int(most) > 0 else None
    return None
