"""Tiled attention for packed passes: a question attends to the prefix and its own tile, not to everything in the pass.

A mask alone gives the same numbers, but with a prefix of 640 and a pass of 1,000 tokens most of what it computes is thrown away.
The prefix, which is visible to all tokens as a whole, is attended to by all of them together and without a mask.
"""

from collections.abc import Sequence
from typing import Any

from gluepot.models.pretrained.devices import input_device

NAME = "gluepot_tiled"
TILE = 64
"""Minimum tokens of a tile that holds several questions."""


def use_tiles(model: Any) -> bool:
    """Enable tiled attention where tiles are passed; only on a CPU, and only if the model would use torch's own attention otherwise."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    if model.config._attn_implementation == NAME:
        return True
    if input_device(model).type != "cpu" or model.config._attn_implementation != "sdpa":
        return False
    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    model.set_attn_implementation(NAME)
    return True


def tiles_of(groups: Sequence[int], tile: int = TILE) -> list[tuple[int, int]]:
    """Return the bounds of tiles: whole questions, as many as it takes to fill one.

    >>> tiles_of([1, 1, 2, 2, 2, 3], tile=2)
    [(0, 2), (2, 5), (5, 6)]
    """
    found, begin = [], 0
    for place in range(1, len(groups) + 1):
        if place == len(groups) or (groups[place] != groups[place - 1] and place - begin >= tile):
            found.append((begin, place))
            begin = place
    return found


def attend(module: Any, query: Any, key: Any, value: Any, mask: Any, tiles: Sequence[tuple[int, int]] = (), **rest: Any) -> Any:
    """Attend to the prefix and to the own tile, and combine both by weight; without tiles, use the usual attention."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if not tiles:
        return sdpa_attention_forward(module, query, key, value, mask, **rest)
    prefix = key.shape[2] - query.shape[2]
    window = rest.get("sliding_window")
    far = prefix + max(end - begin for begin, end in tiles)
    if not prefix or (window and far > window) or query.shape[-1] != value.shape[-1]:
        return _attend_masked(module, query, key, value, mask, tiles, **rest)
    return _attend_apart(query, key, value, mask, tiles, rest.get("scaling"))


def _attend_apart(query: Any, key: Any, value: Any, mask: Any, tiles: Sequence[tuple[int, int]], scale: float | None) -> Any:
    """Attend to the prefix without a mask, as all tokens see it whole; sums of exponentials give its share of the attention."""
    import torch
    from transformers.integrations.sdpa_attention import repeat_kv

    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu  # the public function does not return the sums
    key, value = (repeat_kv(whole, query.shape[1] // key.shape[1]) for whole in (key, value))
    prefix = key.shape[2] - query.shape[2]
    there, there_sum = flash(query, key[:, :, :prefix], value[:, :, :prefix], scale=scale)
    near = []
    for begin, end in tiles:
        own = slice(prefix + begin, prefix + end)
        near.append(flash(query[:, :, begin:end], key[:, :, own], value[:, :, own], attn_mask=mask[:, :, begin:end, own], scale=scale))
    here, here_sum = (torch.cat(parts, 2) for parts in zip(*near, strict=True))
    share = torch.sigmoid(there_sum - here_sum)[..., None].to(here.dtype)
    return torch.lerp(here, there, share).transpose(1, 2).contiguous(), None


def _attend_masked(module: Any, query: Any, key: Any, value: Any, mask: Any, tiles: Sequence[tuple[int, int]], **rest: Any) -> Any:
    """Run one masked attention per tile, prefix included."""
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    prefix, parts = key.shape[2] - query.shape[2], []
    for begin, end in tiles:
        keys, values, seen = (
            torch.cat([whole.narrow(axis, 0, prefix), whole.narrow(axis, prefix + begin, end - begin)], axis)
            for whole, axis in ((key, 2), (value, 2), (mask[:, :, begin:end], 3))
        )
        parts.append(sdpa_attention_forward(module, query[:, :, begin:end], keys, values, seen, **rest)[0])
    return torch.cat(parts, 1), None
