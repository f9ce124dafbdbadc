"""Weights as oneDNN wants them on a processor: products with them take a tenth to a fifth less time, and activations come with them.

The copies last for one pass over some rows; whoever learns goes on with the weights themselves.
"""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

ENOUGH = 4096
"""Tokens from which on it pays: packing a weight costs as much time as its products with a thousand tokens save."""
Forward = Callable[[Any], Any]
"""From states to states."""
Then = tuple[str, list[Any], str]
"""What is done to a product before it is written: oneDNN's name for it, numbers, and which kind of it."""
NOTHING: Then = ("none", [], "")


def can_pack(dtype: "torch.dtype") -> bool:
    """Whether torch has the operations, which are its compiler's own, and the processor those of this type."""
    import torch

    own = torch.ops.mkldnn
    known = all(hasattr(own, name) for name in ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported"))
    if not (known and torch.backends.mkldnn.is_available() and platform.machine().lower() in ("x86_64", "amd64")):
        return False
    return dtype == torch.float32 or (dtype == torch.bfloat16 and bool(own._is_mkldnn_bf16_supported()))


@contextmanager
def packed_weights(net: "nn.Module", dtype: "torch.dtype", tokens: int, together: int) -> Iterator[bool]:
    """Within, a net's linear layers compute in this type with packed copies of their weights; nothing is learned here.

    `tokens` go through the net in all, some `together`. Whether it was worth it is told.
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


class PackedProduct:
    """The product with a weight, of some tokens at once, and what is done to it before it is written."""

    def __init__(self, linear: "nn.Linear", dtype: "torch.dtype", tokens: int, then: Then = NOTHING) -> None:
        from torch import ops

        self.operation, self.dtype, self.then = ops.mkldnn._linear_pointwise, dtype, then
        self.weight = ops.mkldnn._reorder_linear_weight(linear.weight.detach().to(dtype), tokens)
        self.bias = None if linear.bias is None else linear.bias.detach().to(dtype)

    def __call__(self, states: "Tensor") -> "Tensor":
        found: Tensor = self.operation(states.to(self.dtype), self.weight, self.bias, *self.then)
        return found

    def beside(self, states: "Tensor", other: "Tensor", how: Literal["add", "mul"]) -> "Tensor":
        """Added to or multiplied with something of the same shape and type, instead of what is done else."""
        found: Tensor = self.operation.binary(states.to(self.dtype), other, self.weight, self.bias, how)
        return found


def packed_product(linear: "nn.Linear") -> PackedProduct | None:
    """What computes in the place of a linear layer, if its weights are packed just now."""
    found = vars(linear).get("forward")
    return found if isinstance(found, PackedProduct) else None


def _packed(net: "nn.Module", dtype: "torch.dtype", tokens: int) -> Iterator[tuple[Any, Forward]]:
    """Modules, and what is to be called instead of their own method."""
    from torch import nn

    done: set[int] = set()
    for part in net.modules():  # wholes come before their parts
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
    """Whether a module has linear layers of these names, and no other parts but an activation."""
    from torch import nn

    layers = dict(part.named_children())
    return all(type(layers.pop(name, None)) is nn.Linear for name in names) and len(layers) <= 1


def _activation(part: Any) -> Then | None:
    """What stands behind the linear layer of BERT and its kin, or behind the gate of Llama and its kin, if oneDNN has it."""
    from torch.nn.functional import gelu

    found = getattr(part, "intermediate_act_fn", None) or getattr(part, "act_fn", None)
    if getattr(found, "act", None) is gelu or getattr(found, "approximate", "") == "none":
        return "gelu", [], "none"
    return ("swish", [], "") if type(found).__name__ in ("SiLU", "SiLUActivation") else None


def _gated(part: Any, dtype: "torch.dtype", tokens: int, then: Then) -> Forward:
    """Llama's feed-forward part: what goes up is weighed as it is written."""
    gate, up = PackedProduct(part.gate_proj, dtype, tokens, then), PackedProduct(part.up_proj, dtype, tokens)
    down = PackedProduct(part.down_proj, dtype, tokens)
    return lambda states: down(up.beside(states, gate(states), "mul"))
