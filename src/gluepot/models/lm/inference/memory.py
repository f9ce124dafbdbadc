"""Memory needs of a language model's passes against the free memory, estimated before a prompt is run and before a batch is formed."""

from typing import TYPE_CHECKING, Any

from gluepot.errors import GluepotError
from gluepot.models.pretrained.devices import free_bytes, input_device
from gluepot.plurals import pluralize

if TYPE_CHECKING:
    from gluepot.models.lm.loading.weights import LoadedModel

SHARE = 0.8
"""Fraction of the free memory that one prompt, or one pass, may take."""
BUDGET, GPU_BUDGET, LEAST = 1024, 8192, 64
"""Tokens of one pass on a CPU, where more do not pay, and on a GPU; and where memory is short."""
READ = 2
"""At most one in this many tokens of a pass is read for its logits."""


def check_memory(loaded: "LoadedModel", tokens: int) -> None:
    """Raise GluepotError if there is no memory for a prompt: a process killed by the system reports nothing."""
    need, free = tokens * token_bytes(loaded.model), free_bytes(input_device(loaded.model))
    if need > SHARE * free:
        gib = 1024**3
        room = f"{need / gib:.1f} GiB for it, and {free / gib:.1f} are free"
        raise GluepotError(f"lm: a prompt of {pluralize(tokens, 'token')} is too long for this machine: {room}. Take fewer --shots.")


def choose_budget(model: Any, before: int = 0) -> int:
    """Return the tokens of one pass behind `before` tokens: as many as pay, halved until there is memory for them."""
    device = input_device(model)
    budget, free = BUDGET if device.type == "cpu" else GPU_BUDGET, free_bytes(device)
    while budget > LEAST and pass_bytes(model, budget, before) > SHARE * free:
        budget //= 2
    return budget


def has_room_for_copies(model: Any) -> bool:
    """Return whether a second copy of all weights fits into the free memory, with passes beside it."""
    size = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    return size <= SHARE / 2 * free_bytes(input_device(model))


def pass_bytes(model: Any, tokens: int, before: int) -> int:
    """Estimate the bytes of a pass: its tokens, the attention mask, and logits with their exponentials in 32 bits."""
    vocabulary = int(model.config.get_text_config().vocab_size)
    seen = 2 * tokens * (before + tokens) * model.dtype.itemsize
    return int((before + tokens) * token_bytes(model) + seen + tokens // READ * vocabulary * 8)


def token_bytes(model: Any) -> int:
    """Estimate the bytes of a prompt token: its keys and values in every layer, and its intermediate states."""
    config = model.config.get_text_config()
    asking = getattr(config, "num_attention_heads", None) or 1  # models without attention store less
    heads = getattr(config, "num_key_value_heads", None) or asking
    width = getattr(config, "head_dim", None) or config.hidden_size // asking
    numbers = 2 * config.num_hidden_layers * heads * width + 8 * config.hidden_size
    return int(numbers * model.dtype.itemsize)
