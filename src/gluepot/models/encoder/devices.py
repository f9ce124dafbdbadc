"""Where a model runs and in which arithmetic, by what the machine really has."""

import os
import random
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

import numpy as np
import torch

QUICK_BF16 = {"amx_bf16", "avx512_bf16", "bf16"}
"""Processor flags without which bf16 is emulated: 20 times slower than fp32, measured."""
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


class NotFinite(Exception):
    """The loss is no longer a number: to be tried again in fp32."""


def choose_device() -> torch.device:
    """A GPU if there is one; GLUEPOT_DEVICE names another."""
    if named := os.environ.get("GLUEPOT_DEVICE"):
        return torch.device(named)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def choose_precision(device: torch.device) -> str:
    """bf16, fp16 or fp32."""
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp16"
    return "bf16" if device.type == "cpu" and QUICK_BF16 & processor_flags() else "fp32"


@cache
def processor_flags() -> frozenset[str]:
    """What the processor says it can do; empty where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    named = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return frozenset(named.partition(":")[2].split())


def arithmetic(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """The context in which the net computes."""
    return torch.autocast(device.type, dtype=DTYPES[precision]) if precision in DTYPES else nullcontext()


def seed_all(seed: int) -> None:
    """Same seed, same weights, same order, same dropout."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def out_of_memory(error: BaseException) -> bool:
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and ("out of memory" in str(error) or "can't allocate memory" in str(error))
    )


def free_memory(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.empty_cache()
