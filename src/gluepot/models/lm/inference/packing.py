"""Packing of many texts into one row behind a shared prefix: token positions and attention masks.

A mask lets a text see the prefix and itself, an option its question too, and no text its neighbour:

    prefix │ question 1 · option a · option b │ question 2 · option a · …
"""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from gluepot.models.last_layer import body_of, make_narrow, only_at
from gluepot.models.lm.inference.attention import tiles_of, use_tiles
from gluepot.models.lm.inference.memory import has_room_for_copies
from gluepot.models.lm.inference.output_layer import OutputLayer
from gluepot.models.lm.inference.packing_trial import supports_packing
from gluepot.models.lm.inference.prefix import Prefix
from gluepot.models.lm.inference.separate import SeparateTexts
from gluepot.models.pretrained.devices import input_device
from gluepot.models.pretrained.packed_weights import pack_permanently

COMMON = -1
"""Owner of tokens that all options of a text see."""


class Layout:
    """The tokens behind a prefix, in the order in which the model receives them."""

    def __init__(self, prefix: int) -> None:
        self.prefix = prefix
        self.ids: list[int] = []
        self.positions: list[int] = []
        self.groups: list[int] = []
        """The text that each token belongs to."""
        self.owners: list[int] = []
        """The option that each token belongs to."""

    def put(self, group: int, ids: Sequence[int], position: int, owner: int = COMMON) -> int:
        """Add tokens and return the place of the first."""
        place = len(self.ids)
        self.ids += ids
        self.positions += range(position, position + len(ids))
        self.groups += [group] * len(ids)
        self.owners += [owner] * len(ids)
        return place


class Passes:
    """Runs the newest tokens of a layout through a model with a cache of the earlier ones."""

    def __init__(self, model: Any) -> None:
        self.model, self.prefix, self.output = model, Prefix(model), OutputLayer(model)
        self.device = input_device(model)
        self.window, self.windowed = _window(model.config)
        self.tiled = use_tiles(model)
        self.narrows = make_narrow(model)
        self.separate = None if supports_packing(self) else SeparateTexts(model)
        self.prefix = Prefix(model, runs=self.separate is None)
        self.packs = False

    def pack(self, tokens: int) -> None:
        """Pack the weights for passes of so many tokens, on a CPU with memory for copies; they stay packed."""
        if self.device.type == "cpu" and not self.packs and has_room_for_copies(self.model):
            self.packs = pack_permanently(body_of(self.model), self.model.dtype, tokens)
            if self.packs:
                self.output.pack(self.model.dtype, tokens)

    def run(self, layout: Layout, places: Sequence[int], done: int = 0, *, goes_on: bool = False) -> Any:
        """Return the last states at some places; tokens of the layout from `done` on are new, and `goes_on` if more are to follow."""
        if self.separate:
            return self.separate.run(self.prefix.ids, layout, places, done, goes_on=goes_on)
        return self.packed(layout, places, done)

    def packed(self, layout: Layout, places: Sequence[int], done: int = 0) -> Any:
        """Run all new tokens in one row."""
        import torch

        device = self.device
        tiles = tiles_of(layout.groups) if self.tiled and not done else []
        wanted = torch.tensor(places, device=device) - done
        with only_at(wanted) if self.narrows else nullcontext():
            states = body_of(self.model)(
                input_ids=torch.tensor([layout.ids[done:]], device=device),
                position_ids=torch.tensor([layout.positions[done:]], device=device),
                attention_mask=self._mask(layout, done),
                past_key_values=self.prefix.cache,
                use_cache=True,
                **({"tiles": tiles} if tiles else {}),
            ).last_hidden_state[0]
        return states[wanted.to(states.device)]

    def _mask(self, layout: Layout, done: int) -> Any:
        """Return the additive attention mask: 0 where visible, else the lowest finite value; one per layer type for mixed windows."""
        import torch

        device, dtype, new = self.device, self.model.dtype, slice(done, None)
        owner, group, here = (torch.tensor(numbers, device=device) for numbers in (layout.owners, layout.groups, layout.positions))
        order = torch.arange(len(layout.ids), device=device)
        seen = (group[new, None] == group[None]) & (order[None] <= order[new, None])
        seen &= (owner[None] == COMMON) | (owner[new, None] == owner[None])
        seen = torch.cat([torch.ones(len(seen), layout.prefix, dtype=torch.bool, device=device), seen], 1)
        least = torch.finfo(dtype).min
        full = torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill(~seen, least)[None, None]
        if not self.window:
            return full
        there = torch.cat([torch.arange(layout.prefix, device=device), here])
        near = here[new, None] - there[None] < self.window
        if self.windowed:
            return full.masked_fill(~near, least)
        return {"full_attention": full, "sliding_attention": full.masked_fill(~near, least)}


def _window(config: Any) -> tuple[int | None, bool]:
    """Return the size of the sliding window, if any layer has one, and whether all layers have it."""
    config = config.get_text_config()
    kinds, size = getattr(config, "layer_types", None) or [], getattr(config, "sliding_window", None)
    if kinds:
        return (int(size) if size and "sliding_attention" in kinds else None), False
    return (int(size) if size and getattr(config, "use_sliding_window", True) else None), True
