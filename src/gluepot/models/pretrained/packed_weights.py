"""Weights packed for oneDNN on CPUs: products take a tenth to a fifth less time, or less than half of it where MKL lacks AVX-512.

Activations are fused into them.

An encoder's copies last for one prediction, because training continues with the weights themselves; a language model's stay.
"""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakSet

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

ENOUGH = 4096
"""Minimum number of tokens: packing a weight takes as much time as its products with a thousand tokens save."""
_packed_nets: "WeakSet[nn.Module]" = WeakSet()
Forward = Callable[[Any], Any]
"""Function from states to states."""
Then = tuple[str, list[Any], str]
"""Operation fused into a product: oneDNN's name for it, its numbers, and its variant."""
NOTHING: Then = ("none", [], "")


def can_pack(dtype: "torch.dtype") -> bool:
    """Return whether torch has the operations, which belong to its compiler, and the CPU supports this type."""
    import torch

    own = torch.ops.mkldnn
    known = all(hasattr(own, name) for name in ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported"))
    if not (known and torch.backends.mkldnn.is_available() and platform.machine().lower() in ("x86_64", "amd64")):
        return False
    return dtype == torch.float32 or (dtype == torch.bfloat16 and bool(own._is_mkldnn_bf16_supported()))


@contextmanager
def packed_weights(net: "nn.Module", dtype: "torch.dtype", tokens: int, together: int) -> Iterator[bool]:
    """Within the context, compute a net's linear layers in this type with packed copies of their weights; for inference only.

    `tokens` is the total through the net, `together` the number per pass. Yields whether weights are packed.
    """
    replaced: list[Any] = []
    packs = tokens >= ENOUGH and can_pack(dtype)
    try:
        for module, forward in _packed(net, dtype, together) if packs else ():
            module.forward = forward
            replaced.append(module)
        yield packs
    finally:
        for module in replaced:
            del module.forward


def pack_permanently(net: "nn.Module", dtype: "torch.dtype", together: int) -> bool:
    """Pack the weights of a net that is never trained again, once; return whether they are packed. `together` is the tokens per pass."""
    if net not in _packed_nets and can_pack(dtype):
        for module, forward in _packed(net, dtype, together):
            module.forward = forward
        _packed_nets.add(net)
    return net in _packed_nets


class PackedProduct:
    """Product with a packed weight for a number of tokens, with a fused operation."""

    def __init__(self, linear: "nn.Linear", dtype: "torch.dtype", tokens: int, then: Then = NOTHING) -> None:
        from torch import ops

        self.operation, self.dtype, self.then = ops.mkldnn._linear_pointwise, dtype, then
        self.weight = ops.mkldnn._reorder_linear_weight(linear.weight.detach().to(dtype), tokens)
        self.bias = None if linear.bias is None else linear.bias.detach().to(dtype)

    def __call__(self, states: "Tensor") -> "Tensor":
        found: Tensor = self.operation(states.to(self.dtype), self.weight, self.bias, *self.then)
        return found

    def beside(self, states: "Tensor", other: "Tensor", how: Literal["add", "mul"]) -> "Tensor":
        """Return the product added to or multiplied by a tensor of the same shape and type, instead of the usual fused operation."""
        found: Tensor = self.operation.binary(states.to(self.dtype), other, self.weight, self.bias, how)
        return found


def packed_product(linear: "nn.Linear") -> PackedProduct | None:
    """Return the packed product that currently replaces a linear layer; None if there is none."""
    found = vars(linear).get("forward")
    return found if isinstance(found, PackedProduct) else None


def _packed(net: "nn.Module", dtype: "torch.dtype", tokens: int) -> Iterator[tuple[Any, Forward]]:
    """Yield modules, and the callables that replace their `forward`."""
    from torch import nn

    done: set[int] = set()
    for part in net.modules():  # parents come before their children
        then = _activation(part)
        if "forward" in vars(part) or id(part) in done or any(weight.device.type != "cpu" for weight in part.parameters(recurse=False)):
            continue
        if then and _is_feed_forward(part, "dense"):
            done.add(id(part.dense))
            yield part, PackedProduct(part.dense, dtype, tokens, then)
        elif then and _is_feed_forward(part, "gate_proj", "up_proj", "down_proj"):
            done |= {id(part.gate_proj), id(part.up_proj), id(part.down_proj)}
            yield part, _gated(part, dtype, tokens, then)
        elif type(part) is nn.Linear:
            yield part, PackedProduct(part, dtype, tokens)


def _is_feed_forward(part: Any, *names: str) -> bool:
    """Return whether a module has linear layers of these names, and no other children but an activation."""
    from torch import nn

    layers = dict(part.named_children())
    return all(type(layers.pop(name, None)) is nn.Linear for name in names) and len(layers) <= 1


def _activation(part: Any) -> Then | None:
    """Return the activation after the linear layer of BERT-like models or the gate of Llama-like ones; None if oneDNN lacks it."""
    from torch.nn.functional import gelu

    found = getattr(part, "intermediate_act_fn", None) or getattr(part, "act_fn", None)
    if getattr(found, "act", None) is gelu or getattr(found, "approximate", "") == "none":
        return "gelu", [], "none"
    return ("swish", [], "") if type(found).__name__ in ("SiLU", "SiLUActivation") else None


def _gated(part: Any, dtype: "torch.dtype", tokens: int, then: Then) -> Forward:
    """Return Llama's feed-forward block, with the up projection multiplied by the gate as it is written."""
    gate, up = PackedProduct(part.gate_proj, dtype, tokens, then), PackedProduct(part.up_proj, dtype, tokens)
    down = PackedProduct(part.down_proj, dtype, tokens)
    return lambda states: down(up.beside(states, gate(states), "mul"))
