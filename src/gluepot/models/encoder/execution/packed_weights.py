"""Weights as oneDNN wants them on a processor: products with them take a tenth less time, and GELU comes with its product.

The copies last for one pass over some rows; whoever learns goes on with the weights themselves.
"""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from gluepot.models.encoder.execution.devices import DTYPES

ENOUGH = 4096
"""Tokens from which on it pays: packing a weight costs as much time as its products with a thousand tokens save."""
Forward = Callable[[Tensor], Tensor]


def can_pack(dtype: torch.dtype) -> bool:
    """Whether torch has the operations, which are its compiler's own, and the processor those of this type."""
    own = torch.ops.mkldnn
    known = all(hasattr(own, name) for name in ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported"))
    if not (known and torch.backends.mkldnn.is_available() and platform.machine().lower() in ("x86_64", "amd64")):
        return False
    return dtype == torch.float32 or (dtype == DTYPES["bf16"] and bool(own._is_mkldnn_bf16_supported()))


@contextmanager
def packed_weights(net: nn.Module, dtype: torch.dtype, tokens: int, together: int) -> Iterator[None]:
    """Within, a net's linear layers compute in this type with packed copies of their weights; nothing is learned here.

    `tokens` go through the net in all, some `together`.
    """
    replaced: list[nn.Module] = []
    try:
        if tokens >= ENOUGH and can_pack(dtype):
            for module, forward in _packed(net, dtype, together):
                module.forward = forward
                replaced.append(module)
        yield
    finally:
        for module in replaced:
            del module.forward


def _packed(net: nn.Module, dtype: torch.dtype, tokens: int) -> Iterator[tuple[nn.Module, Forward]]:
    """Modules, and what is to be called instead of their own method."""
    fused = {id(part.dense): part for part in net.modules() if _has_gelu(part)}
    for module in net.modules():
        if type(module) is nn.Linear and module.weight.device.type == "cpu" and "forward" not in vars(module):
            whole = fused.get(id(module))
            yield whole or module, _product(module, dtype, tokens, gelu=whole is not None)


def _has_gelu(part: Any) -> bool:
    """Whether a module is a linear layer with the exact GELU behind it, as BERT and its kin have."""
    activation = getattr(part, "intermediate_act_fn", None)
    exact = getattr(activation, "act", None) is nn.functional.gelu or getattr(activation, "approximate", "") == "none"
    return exact and type(getattr(part, "dense", None)) is nn.Linear


def _product(linear: nn.Linear, dtype: torch.dtype, tokens: int, *, gelu: bool) -> Forward:
    operation = torch.ops.mkldnn._linear_pointwise
    weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach().to(dtype), tokens)
    bias = None if linear.bias is None else linear.bias.detach().to(dtype)
    then: tuple[Any, ...] = ("gelu", [], "none") if gelu else ("none", [], "")

    def forward(states: Tensor) -> Tensor:
        found: Tensor = operation(states.to(dtype), weight, bias, *then)
        return found

    return forward
