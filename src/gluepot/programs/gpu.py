"""Memory that processes hold on NVIDIA GPUs, as reported by NVML (`pip install nvidia-ml-py`)."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _nvml() -> Any:
    """Return the initialised library, or None without such a GPU or library."""
    if not Path("/dev/nvidiactl").exists():
        return None
    try:
        import pynvml  # type: ignore[import-not-found]

        pynvml.nvmlInit()
    except Exception:  # driver errors must not prevent the other measurements
        return None
    return pynvml


def gpu_memory(pids: Iterable[int]) -> int | None:
    """Return the processes' bytes on all GPUs, or None if there is none."""
    nvml = _nvml()
    if nvml is None:
        return None
    own, held = set(pids), 0
    for number in range(nvml.nvmlDeviceGetCount()):
        device = nvml.nvmlDeviceGetHandleByIndex(number)
        held += sum(one.usedGpuMemory or 0 for one in nvml.nvmlDeviceGetComputeRunningProcesses(device) if one.pid in own)
    return held


def gpu_names() -> list[str]:
    """Return the names of this machine's GPUs."""
    nvml = _nvml()
    if nvml is None:
        return []
    names = [nvml.nvmlDeviceGetName(nvml.nvmlDeviceGetHandleByIndex(number)) for number in range(nvml.nvmlDeviceGetCount())]
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]
