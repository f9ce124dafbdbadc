"""Device of a model, its precision, and the seeding of its random generators."""

import random
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch

from gluepot.models.pretrained.devices import choose_device as choose_device

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


class NonFiniteLossError(Exception):
    """Raised when the loss is no longer a number: the training is retried in fp32."""


def autocast_context(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Return the autocast context for a precision."""
    return torch.autocast(device.type, dtype=DTYPES[precision]) if precision in DTYPES else nullcontext()


def seed_all(seed: int) -> None:
    """Seed all generators: the same seed gives the same weights, order and dropout."""
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
