"""Many texts in one row behind a shared prefix: where each token stands, and who sees whom.

A mask lets a text see the prefix and itself, an option its question too, and nobody see a neighbour:

    prefix │ question 1 · option a · option b │ question 2 · option a · …
"""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from gluepot.models.last_layer import body_of, make_narrow, only_at
from gluepot.models.lm.inference.attention import tiles_of, use_tiles
from gluepot.models.lm.inference.output_layer import OutputLayer
from gluepot.models.lm.inference.packing_trial import keeps_apart
from gluepot.models.lm.inference.prefix import Prefix
from gluepot.models.lm.inference.separate import SeparateTexts
from gluepot.models.pretrained.devices import input_device

COMMON = -1
"""The owner of what all options of a text see."""


class Layout:
    """The tokens behind a prefix, in the order in which the model gets them."""

    def __init__(self, prefix: int) -> None:
        self.prefix = prefix
        self.ids: list[int] = []
        self.positions: list[int] = []
        self.groups: list[int] = []
        """The text a token belongs to."""
        self.owners: list[int] = []
        """The option it belongs to."""

    def put(self, group: int, ids: Sequence[int], position: int, owner: int = COMMON) -> int:
        """Add tokens; the place of the first is told."""
        place = len(self.ids)
        self.ids += ids
        self.positions += range(position, position + len(ids))
        self.groups += [group] * len(ids)
        self.owners += [owner] * len(ids)
        return place


class Passes:
    """Runs the newest tokens of a layout through a model that remembers the ones before."""

    def __init__(self, model: Any) -> None:
        self.model, self.prefix, self.output = model, Prefix(model), OutputLayer(model)
        self.device = input_device(model)
        self.window, self.windowed = _window(model.config)
        self.tiled = use_tiles(model)
        self.narrows = make_narrow(model)
        self.separate = None if keeps_apart(self) else SeparateTexts(model)
        self.prefix = Prefix(model, runs=self.separate is None)

    def run(self, layout: Layout, places: Sequence[int], done: int = 0, *, goes_on: bool = False) -> Any:
        """The last states at some places; of the layout all tokens from `done` on are new. Whether others are to follow is told."""
        if self.separate:
            return self.separate.run(self.prefix.ids, layout, places, done, goes_on=goes_on)
        return self.packed(layout, places, done)

    def packed(self, layout: Layout, places: Sequence[int], done: int = 0) -> Any:
        """All that is new in one row."""
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
        """Who sees whom, as numbers that are added: 0 or as good as minus infinity."""
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
    """How far back layers look that do not see everything, if a model has such; and whether all of them are."""
    config = config.get_text_config()
    kinds, size = getattr(config, "layer_types", None) or [], getattr(config, "sliding_window", None)
    if kinds:
        return (int(size) if size and "sliding_attention" in kinds else None), False
    return (int(size) if size and getattr(config, "use_sliding_window", True) else None), True
