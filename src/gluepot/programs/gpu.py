"""Memory of NVIDIA's GPUs that some processes hold, where NVML tells it (`pip install nvidia-ml-py`)."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _nvml() -> Any:
    """The library, ready; None where there is no such GPU or no such library."""
    if not Path("/dev/nvidiactl").exists():
        return None
    try:
        import pynvml  # type: ignore[import-not-found]

        pynvml.nvmlInit()
    except Exception:  # whatever a driver does, the rest is measured
        return None
    return pynvml


def gpu_memory(pids: Iterable[int]) -> int | None:
    """Bytes on all GPUs; None where there is none."""
    nvml = _nvml()
    if nvml is None:
        return None
    own, held = set(pids), 0
    for number in range(nvml.nvmlDeviceGetCount()):
        device = nvml.nvmlDeviceGetHandleByIndex(number)
        held += sum(one.usedGpuMemory or 0 for one in nvml.nvmlDeviceGetComputeRunningProcesses(device) if one.pid in own)
    return held


def gpu_names() -> list[str]:
    """The GPUs of this machine."""
    nvml = _nvml()
    if nvml is None:
        return []
    names = [nvml.nvmlDeviceGetName(nvml.nvmlDeviceGetHandleByIndex(number)) for number in range(nvml.nvmlDeviceGetCount())]
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]
