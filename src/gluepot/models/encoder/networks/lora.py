"""Low-rank adapters with PEFT: the pretrained weights are frozen, and small matrices beside the linear layers are trained."""

from typing import Any

import torch

from gluepot.models.encoder.networks.nets import MADE

RANK = 8
DROPOUT = 0.05
RATE = 10
"""Factor on the learning rate of a full training that suits adapters (Schulman et al. 2025, LoRA Without Regret)."""


def add_lora(net: Any, rank: int = RANK) -> None:
    """Add adapters to every linear layer of the encoder; the head, and parts that the file may lack, are trained in full."""
    from peft import LoraConfig, inject_adapter_in_model

    body = net.model.base_model
    linear = [name for name, part in body.named_modules() if isinstance(part, torch.nn.Linear) and not _is_made(name)]
    inject_adapter_in_model(LoraConfig(r=rank, lora_alpha=2 * rank, lora_dropout=DROPOUT, target_modules=linear), body)
    for name, weight in body.named_parameters():
        weight.requires_grad = "lora_" in name or _is_made(name)
    net.adapted = True


def _is_made(name: str) -> bool:
    """Return whether a part of an encoder may be newly initialized."""
    return any(part in name for part in MADE)


def is_adapted(net: Any) -> bool:
    return bool(getattr(net, "adapted", False))


def learned_weights(net: Any) -> dict[str, torch.Tensor]:
    """Return the weights that a training may have changed: all of them, or with adapters those that are trained."""
    state: dict[str, torch.Tensor] = net.state_dict()
    if not is_adapted(net):
        return state
    learns = {name for name, weight in net.named_parameters() if weight.requires_grad}
    return {name: tensor for name, tensor in state.items() if name in learns}


def load_learned(net: Any, weights: dict[str, torch.Tensor]) -> None:
    """Load learned weights; raise RuntimeError if they belong to another net."""
    lacking, unknown = net.load_state_dict(weights, strict=not is_adapted(net))
    if lost := sorted({*unknown, *(set(lacking) & set(learned_weights(net)))}):
        raise RuntimeError(f"these weights are of another net, first: {lost[0]}")


def count_learning(net: Any) -> int:
    """Return the number of trainable parameters."""
    return sum(weight.numel() for weight in net.parameters() if weight.requires_grad)
