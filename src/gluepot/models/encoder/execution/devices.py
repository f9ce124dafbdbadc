"""Where a model runs, and the arithmetic that it was told to compute in."""

import random
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch

from gluepot.models.pretrained.devices import choose_device as choose_device

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


class NotFinite(Exception):
    """The loss is no longer a number: to be tried again in fp32."""


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
