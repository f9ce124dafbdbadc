"""Device of a pretrained model, and the free memory there."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from gluepot.errors import WrongUse

AUTO = "auto"
UNKNOWN = 4 * 1024**3
"""Bytes assumed to be free where the system does not report them."""


def choose_device(named: str = AUTO) -> Any:
    """Return the device named by the setting or by GLUEPOT_DEVICE; else a GPU if there is one."""
    import torch

    wanted = named if named != AUTO else os.environ.get("GLUEPOT_DEVICE") or AUTO
    here = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == AUTO:
        return torch.device(next((name for name in ("cuda", "mps") if here[name]), "cpu"))
    if not here.get(torch.device(wanted).type, True):
        found = ", ".join(name for name, there in here.items() if there)
        raise WrongUse(f"--device {wanted}: torch finds no such device here. There is: {found}.")
    return torch.device(wanted)


def input_device(model: Any) -> Any:
    """Return the device for a model's input; for a model spread over devices, that of its first part."""
    import torch

    spread = getattr(model, "hf_device_map", None)
    if not spread:
        return model.device
    first = next(iter(spread.values()))
    return torch.device("cpu" if first in ("cpu", "disk") else f"cuda:{first}" if isinstance(first, int) else first)


def free_bytes(device: Any) -> int:
    """Return the memory available now, of the GPU or of the machine."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return UNKNOWN
