"""Subprocess that tries a precision: layers of an encoder, forward and backward, compared with fp32; it may crash."""

import os
import sys
from math import isfinite
from time import perf_counter

import torch
from msgspec import json
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, scaled_dot_product_attention

from gluepot.models.encoder.execution.devices import DTYPES, autocast_context, choose_device
from gluepot.models.encoder.preprocessing.batches import BUDGET
from gluepot.models.precision_probe import AUTO, FULL, PrecisionTrial

SHAPES = ((32, 64, 4, 9), (384, 1536, 1, 21), (768, 3072, 2, 16), (1024, 4096, 1, 8))
"""Widths, inner widths, rows and lengths, from the tests' own models to large ones; few rows, as emulation is slow."""
LENGTH = 32
SCALE = 1024.0
"""Scale of the loss, so that no gradient vanishes in fp16."""
ROUNDS = 5
HOPELESS = 0.5
"""Gain below which further measurement only costs time: emulation is twenty times slower."""
TENSOR_CORES = (7, 0)
"""The CUDA capability from which fp16 is faster than fp32."""


class PrecisionProbe(nn.Module):
    """A layer and a head of three labels, with rows to run through them."""

    def __init__(self, device: torch.device, width: int, inner: int, rows: int, length: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.heads = max(1, width // 64)
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down, self.head = nn.Linear(width, inner), nn.Linear(inner, width), nn.Linear(width, 3)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.to(device)
        self.states = torch.randn(rows, length, width).to(device)
        self.mask = torch.ones(rows, 1, 1, length, dtype=torch.bool, device=device)
        self.mask[0, :, :, length // 2 :] = False
        self.gold = torch.arange(rows, device=device) % 3

    def forward(self) -> Tensor:
        states = self.states.to(self.head.weight.dtype)
        states = self.norms[0](states + self.output(self.attention(states).transpose(1, 2).flatten(2)))
        return self.head(self.norms[1](states + self.down(gelu(self.up(states)))))

    def attention(self, states: Tensor) -> Tensor:
        """Compute the attention half by torch's own function, half by products of matrices as in DeBERTa."""
        query, key, value = (part(states).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        fused = scaled_dot_product_attention(query, key, value, attn_mask=self.mask)
        weights = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5).masked_fill(~self.mask, float("-inf"))
        return (fused + weights.softmax(dim=-1).to(value.dtype) @ value) / 2


def main(wanted: str) -> None:
    device = choose_device()
    candidate, why = candidate_for(device, wanted)
    begun = PrecisionTrial(candidate, str(device), failed=why)
    print(json.encode(begun).decode(), flush=True)  # so that the name is known if this process dies
    found = begun if why else try_out(device, candidate, timed=wanted == AUTO and device.type == "cpu")
    print(json.encode(found).decode(), flush=True)


def candidate_for(device: torch.device, wanted: str) -> tuple[str, str]:
    """Return the precision to try on a device, and the reason if there is nothing to try."""
    refused = os.environ.get("GLUEPOT_NO_BF16", "0") not in ("", "0")
    if wanted != AUTO:
        return wanted, "refused by GLUEPOT_NO_BF16" if refused and wanted == "bf16" else ""
    if device.type == "cuda":
        if torch.cuda.is_bf16_supported(including_emulation=False) and not refused:
            return "bf16", ""
        fast = torch.cuda.get_device_capability(device) >= TENSOR_CORES
        return ("fp16", "") if fast else (FULL, "this GPU is no faster in half precision")
    if device.type != "cpu":
        return FULL, f"half precision is not tried on {device.type}"
    return (FULL, "bf16 refused by GLUEPOT_NO_BF16, so fp32") if refused else ("bf16", "")


def try_out(device: torch.device, precision: str, *, timed: bool) -> PrecisionTrial:
    """Measure error and gain. A GPU's own claim is trusted for the speed: so small a net says nothing about it."""
    error = max(largest_error(PrecisionProbe(device, *shape), precision) for shape in SHAPES)
    gain = measured_gain(device, precision) if timed else None
    return PrecisionTrial(precision, str(device), error if isfinite(error) else None, gain)


def largest_error(probe: PrecisionProbe, precision: str) -> float:
    """Return the largest deviation of all results from fp32; also with weights in half precision, as in language models."""
    full, half = results(probe, FULL), results(probe, precision)
    with torch.inference_mode():
        half.append(probe.to(DTYPES[precision])().float())
    return max(distance(one, other) for one, other in zip([*full, full[0]], half, strict=True))


def results(probe: PrecisionProbe, precision: str) -> list[Tensor]:
    """Return the outputs of prediction and of training, and the gradients."""
    with torch.inference_mode(), autocast_context(probe.states.device, precision):
        predicted = probe().float()
    probe.zero_grad(set_to_none=True)
    with autocast_context(probe.states.device, precision):
        logits = probe().float()
    (cross_entropy(logits[:, 0], probe.gold) * SCALE).backward()
    gradients = torch.cat([weight.grad.flatten() for weight in probe.parameters() if weight.grad is not None])
    return [predicted, logits.detach(), gradients]


def distance(one: Tensor, other: Tensor) -> float:
    """Return the distance relative to the first tensor; infinite if it is not a finite number."""
    far = float((one - other).norm() / one.norm())
    return far if isfinite(far) else float("inf")


def measured_gain(device: torch.device, precision: str) -> float:
    """Return the speed of a training step relative to fp32, for a small one first; the best of several alternating rounds."""
    gain = 0.0
    for tokens in (BUDGET // 16, BUDGET):
        probe = PrecisionProbe(device, 768, 3072, tokens // LENGTH, LENGTH)
        times: dict[str, list[float]] = {FULL: [], precision: []}
        for _ in range(ROUNDS):
            for own, taken in times.items():
                taken.append(seconds(probe, own))
            gain = min(times[FULL]) / min(times[precision])
            if gain < HOPELESS:
                return gain
    return gain


def seconds(probe: PrecisionProbe, precision: str) -> float:
    start = perf_counter()
    results(probe, precision)
    return perf_counter() - start


if __name__ == "__main__":
    main(sys.argv[1])
